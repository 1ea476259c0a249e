#!/bin/bash
# web.sh: what the course in a browser costs here: time, bytes, memory
#
#     docs/measured/web.sh >docs/measured/web.txt
#
# In Debian's Chromium, without a window. Nothing else should run.
set -u
cd "$(dirname "$0")/../.." || exit 1
make -s web >&2 && tests/setup-web.sh >&2 || exit 1
figures=$(mktemp) || exit 1
trap 'rm -f "$figures"' EXIT
BUDGETS=$figures "${NODE:-node}" tests/web/budgets.test.mjs chromium >&2
status=$?
echo "# The course in a browser"
echo "commit  $(git rev-parse --short HEAD 2>/dev/null)"
echo "date    $(date +%F)"
echo "machine $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo |
    head -n 1)"
echo "browser $("${CHROMIUM:-/usr/bin/chromium}" --version | sed 's/ *$//')"
echo "command docs/measured/web.sh (load $(cut -d ' ' -f 1 /proc/loadavg))"
echo
cat "$figures"
exit $status
