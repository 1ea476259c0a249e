#!/bin/sh
# setup.sh: run by Gradescope once, when the autograder is uploaded.
set -e
command -v g++ >/dev/null && command -v make >/dev/null ||
    { apt-get update && apt-get install -y --no-install-recommends g++ make; }
make -C "${AUTOGRADER:-/autograder}/source" tools
