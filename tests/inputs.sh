#!/bin/bash
# inputs.sh NAME COMMAND...: run a suite's command in a copy of this tree where
# nothing is but what tests/inputs names for NAME, built there as far as it goes.
# What a suite needs and tests/inputs does not name shows as a failure.
#
#     tests/inputs.sh conformance vgpu/tests/conformance/run.sh
set -u
cd "$(dirname "$0")/.." || exit 2
[ $# -ge 2 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
. tests/kept.sh
name=$1
shift
mapfile -t specs < <(kept_inputs "$name")
[ ${#specs[@]} -gt 0 ] || {
    echo "tests/inputs has no line for '$name'" >&2
    exit 2
}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
git ls-files -z -- "${specs[@]}" | xargs -0 cp -P --parents -t "$tmp" || exit 2
cd "$tmp" && git init -q && git add -A || exit 2
make -s -k tools >build.log 2>&1
export KEPT=0
"$@"
