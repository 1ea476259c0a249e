# The grader's rooms: calls go one way. A file includes headers of its own room
# and of those below it, as the table in grader/README.md has them; and of what
# the linker sees, no object of a room calls one above it. And rules ask the
# checker's reports for kinds and fields: words may change. And nothing is limited
# or waited for by a clock that somebody may set.
cd "$(dirname "$0")/../.." || exit 2
rooms="base cage build case judge rules grade say"

# rank ROOM: 1 is the lowest.
awk_rank='BEGIN { n = split(rooms, name, " "); for (i in name) rank[name[i]] = i }'

up=$(grep -n '^#include "[a-z]*/' grader/*/*.c grader/*/*.h |
    awk -F'[/":]' -v rooms="$rooms" "$awk_rank"'
        $2 in rank && rank[$6] > rank[$2] { print }')
echo "1..5"
if [ -z "$up" ]; then
    echo "ok 1 - no file includes a header of a room above it"
else
    echo "not ok 1 - no file includes a header of a room above it"
    printf '%s\n' "$up" | sed 's/^/# /'
fi

calls=$(for object in build/obj/grader/*/*.o; do
    source=${object#build/obj/}
    [ -f "${source%.o}.c" ] || continue # of a file that is no more
    room=${object%/*}
    nm "$object" | awk -v room="${room##*/}" -v file="$object" '
        NF == 3 && $2 ~ /[TDBRC]/ { print "has", $3, room, file }
        $1 == "U" { print "asks", $2, room, file }'
done | awk -v rooms="$rooms" "$awk_rank"'
    $1 == "has" { home[$2] = $3; next }
    { asks[++count] = $0 }
    END { for (i = 1; i <= count; i++) {
              split(asks[i], ask, " ")
              if (ask[2] in home && rank[home[ask[2]]] > rank[ask[3]])
                  print ask[4] " calls " ask[2] "() of " home[ask[2]]
          } }' | sort)
if [ -z "$calls" ]; then
    echo "ok 2 - no room calls one above it"
else
    echo "not ok 2 - no room calls one above it"
    printf '%s\n' "$calls" | sed 's/^/# /'
fi

# The fields that hold words; report.def says so of them.
words=$(sed -n 's/^TEXT(\([a-z_]*\), ".*in words")$/\1/p' \
    vgpu/include/vgpu/report.def | tr '\n' '|')
prose=$(grep -nE "report_holds\([^)]*\"(${words}text)\"|\
(checked|report)_find\([^;]*\"(${words}text)\"|\
str(str|cmp|ncmp)\([^;]*(first_(hazard|fault|warning)|run->(fault|ended|reported))" \
    grader/rules/*.c grader/judge/*.c grader/grade/*.c
    # Nor does anybody look for what a person is told.
    grep -rnE "vgpu: ($(sed -n 's/^REPORT(\([a-z]*\),.*/\1/p' \
        vgpu/include/vgpu/report.def | sort -u | tr '\n' '|')never)" \
        grader timeline tools web/engine web/page web/playground)
if [ -z "$prose" ]; then
    echo "ok 3 - no rule reads the checker's words"
else
    echo "not ok 3 - no rule reads the checker's words"
    printf '%s\n' "$prose" | sed 's/^/# /'
fi

set=$(grep -nE "CLOCK_REALTIME|gettimeofday" grader/*/*.c vgpu/runtime/*.c \
    vgpu/device/*.c | grep -v "^vgpu/runtime/host_timers") # a program's own
if [ -z "$set" ]; then
    echo "ok 4 - limits and waits go by a clock that nobody sets"
else
    echo "not ok 4 - limits and waits go by a clock that nobody sets"
    printf '%s\n' "$set" | sed 's/^/# /'
fi

# The same of the virtual GPU: graphs know the runtime, not the other way round.
graphs=$(ls vgpu/graph/*.h | sed 's|.*/||' | tr '\n' '|')
up=$(grep -nE "^#include \"(${graphs%|})\"" vgpu/runtime/*.[ch])
if [ -n "$graphs" ] && [ -z "$up" ]; then
    echo "ok 5 - the runtime includes nothing of vgpu/graph"
else
    echo "not ok 5 - the runtime includes nothing of vgpu/graph"
    printf '%s\n' "$up" | sed 's/^/# /'
fi
