#!/bin/bash
# Sources are laid out as .clang-format says, and no text is left that does
# not belong in a repository.
cd "$(dirname "$0")/../.." || exit 2
echo "1..4"
if make -s check-format >/tmp/format.$$ 2>&1; then
    echo "ok 1 - clang-format would change nothing"
else
    echo "not ok 1 - clang-format would change nothing (make format)"
    grep -o '^[^:]*:[0-9]*' /tmp/format.$$ | cut -d: -f1 | sort | uniq -c |
        sed 's/^/# /' | head
fi
rm -f /tmp/format.$$
wide=$(tools/sources '*.c' '*.h' '*.cu' '*.sh' Makefile | grep -v '^\(vgpu\/\)*tests/' |
    xargs awk 'length($0) > 100 { print FILENAME ":" FNR }')
if [ -z "$wide" ]; then
    echo "ok 2 - no line of code is wider than 100 columns"
else
    echo "not ok 2 - no line of code is wider than 100 columns"
    echo "$wide" | head | sed 's/^/# /'
fi
made=$(tools/submission tests/corpus/*/*/*.diff tests/cheats/*/*.diff)
wrong=$(clang-format --dry-run $made 2>&1 | grep -o '^[^:]*:[0-9]*')
if [ -n "$made" ] && [ -z "$wrong" ]; then
    echo "ok 3 - submissions that are differences are laid out, too"
else
    echo "not ok 3 - submissions that are differences are laid out, too"
    echo "$wrong" | head | sed 's/^/# /'
fi
# Its status would be taken for the test's, which then cannot fail.
blind=$(tools/sources '*.sh' '*.t' | xargs grep -nE '^ *ok "[^"]*\$\(')
if [ -z "$blind" ]; then
    echo "ok 4 - no test runs a command in its own name"
else
    echo "not ok 4 - no test runs a command in its own name"
    echo "$blind" | sed 's/^/# /'
fi
