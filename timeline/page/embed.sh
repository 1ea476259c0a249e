#!/bin/sh
# embed.sh: write files as C arrays to standard output
#
#   sh timeline/page/embed.sh timeline/page/page.js ... > page.c
#
# page.js becomes `const char timeline_page_js[]`, terminated.
set -eu
echo '/* made by timeline/page/embed.sh */'
for file in "$@"; do
    name=$(basename "$file" | tr -c 'a-zA-Z0-9\n' '_')
    echo "extern const char timeline_${name}[];"
    echo "const char timeline_${name}[] = {"
    od -An -v -tu1 "$file" |
        sed 's/^ *//; s/ *$//; s/  */,/g; s/$/,/'
    echo '0};'
done
