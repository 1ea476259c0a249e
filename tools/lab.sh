# lab.sh: what the tools share. Read with ". tools/lab.sh", not run.
# shellcheck shell=sh

# lab_find WHICH: print the folder name of a lab, from "8", "08" or
# "08_uneven_chunks". Fails with one line that names the labs there are.
lab_find() {
    case $1 in
    '')
        echo "which lab? give its number, for instance LAB=08" >&2
        return 1
        ;;
    [0-9]) lab_pattern=0$1 ;;
    *) lab_pattern=$1 ;;
    esac
    case $lab_pattern in
    *[!a-z0-9_]*) ;;
    *)
        for lab_dir in labs/"$lab_pattern" labs/"$lab_pattern"_*; do
            if [ -d "$lab_dir" ]; then
                echo "${lab_dir#labs/}"
                return 0
            fi
        done
        ;;
    esac
    lab_known=$(lab_all | paste -sd' ' -)
    echo "there is no lab '$1'; labs: ${lab_known:-none}" >&2
    return 1
}

# lab_words WORDS: what LAB= or SHEET= says, each word on a line: "all" and
# "sheet:2" become the folder names of their labs, other words stay.
lab_words() {
    printf '%s\n' "$1" | tr -s ' \t' '\n' | while read -r lab_word; do
        case $lab_word in
        '') ;;
        all) lab_all ;;
        sheet:*)
            lab_rows=$(lab_sheet "${lab_word#sheet:}") || exit 1
            printf '%s\n' "$lab_rows" | sed 's/=.*//'
            ;;
        *) printf '%s\n' "$lab_word" ;;
        esac
    done
}

# lab_names WORDS: the folder names of the labs that LAB= or SHEET= names: "8",
# "07 08", "all", each on a line and once. Fails with one line.
lab_names() {
    lab_list=$(lab_words "$1") || return 1
    [ -n "$lab_list" ] || lab_find '' || return 1
    lab_list=$(printf '%s\n' "$lab_list" | while read -r lab_word; do
        lab_find "$lab_word" || exit 1
    done) && printf '%s\n' "$lab_list" | awk '!seen[$0]++'
}

# lab_next LAB...: the first of them that has not passed yet, if there is one.
lab_next() {
    tools/progress show "$@" 2>/dev/null |
        awk '$2 != "yes" { print $1; exit }'
}

# lab_take WORDS: set names to the labs that LAB= or SHEET= names. Without any it
# is the one that make labNN ran last, or else the next one, and a line says so.
lab_take() {
    if [ -n "$1" ]; then
        names=$(lab_names "$1")
        return
    fi
    names=$(tools/progress last)
    lab_why="make lab${names%%_*} ran last"
    if [ -z "$names" ]; then
        # shellcheck disable=SC2046
        names=$(lab_next $(lab_all)) lab_why='the next one to do'
    fi
    if [ -z "$names" ]; then
        echo "which lab? all have passed: LAB=08 is one, LAB=all are all" >&2
        return 1
    fi
    echo "Lab ${names%%_*}: $lab_why. LAB=07 takes another, LAB=all all of them."
    echo
}

# lab_sheet NAME: the labs of a sheet with the points that each counts, on lines
# "07_chunked_overlap=40". docs/teaching.md has the format of sheets/NAME.
lab_sheet() {
    case $1 in
    '' | *[!A-Za-z0-9_-]*) lab_from= ;;
    *) lab_from=sheets/$1 ;;
    esac
    if [ ! -r "$lab_from" ]; then
        lab_known=$(ls sheets 2>/dev/null | paste -sd' ' -)
        echo "there is no sheet '$1'; sheets: ${lab_known:-none}" >&2
        return 1
    fi
    lab_rows=$(sed 's/#.*//; /^title: /d; /^due: /d' "$lab_from" |
        while read -r lab_word lab_points lab_rest; do
            case $lab_word:$lab_points:$lab_rest in
            ::) continue ;;
            *:0*:* | *:*[!0-9]*: | *::* | *:?????*: | *:*:?*)
                echo "$lab_from: '$lab_word $lab_points $lab_rest' is no lab" \
                    "and its points, as in '08 40'" >&2
                exit 1
                ;;
            esac
            lab_name=$(lab_find "$lab_word") && echo "$lab_name=$lab_points" ||
                exit 1
        done) || return 1
    lab_word=$(printf '%s\n' "$lab_rows" | cut -d= -f1 | sort | uniq -d | head -n 1)
    if [ -z "$lab_rows" ] || [ -n "$lab_word" ]; then
        echo "$lab_from: ${lab_word:-no lab}${lab_word:+ stands there twice}" >&2
        return 1
    fi
    printf '%s\n' "$lab_rows"
}

# lab_reads FILE: is it one that can be read to its end? Its name may lead to a
# folder, a pipe, a device, or to more than 256 MiB.
lab_reads() {
    [ -f "$1" ] && [ -r "$1" ] && [ "$(wc -c <"$1")" -le 268435456 ]
}

# lab_csv FILE COLUMN...: those columns of the rows of a grades.csv, by the names
# in its first one, with tabs between; "-" for an empty one. Status 2: it has no
# such column.
lab_csv() {
    lab_table=$1
    shift
    awk -v want="$*" -v table="$lab_table" '
    NR == 1 {
        gsub(/["\r]|^\357\273\277/, "") # what a spreadsheet may add
        for (n = split($0, field, ","); n; n--)
            place[field[n]] = n
        many = split(want, name, " ")
        for (i = 1; i <= many; i++) {
            if (!(column[i] = place[name[i]])) {
                print table " has no column " name[i] | "cat >&2"
                exit 2
            }
            if (column[i] > last) last = column[i]
        }
    }
    NR > 1 && /,/ {
        n = 0
        split("", field)
        # Nothing behind the last of them, and no time for it.
        rest = $0 ","
        while (n < last && match(rest, /^("([^"]|"")*"|[^,]*),/)) {
            value = substr(rest, 1, RLENGTH - 1)
            if (value ~ /^"/) {
                value = substr(value, 2, length(value) - 2)
                gsub(/""/, "\"", value)
            }
            field[++n] = value
            rest = substr(rest, RLENGTH + 1)
        }
        for (i = 1; i <= many; i++) {
            value = field[column[i]]
            printf "%s%s", value == "" ? "-" : value, i < many ? "\t" : "\n"
        }
    }' <"$lab_table"
}

# lab_needs_awk: end with status 2 and one line where awk does not work, before
# its silence is taken for an answer.
lab_needs_awk() {
    [ "$(echo 1 | awk '{ print $1 + 1 }' 2>/dev/null)" = 2 ] && return
    echo "this needs awk, and the one here does not work: install mawk or" \
        "gawk" >&2
    exit 2
}

# lab_all: print the folder names of all labs, each on a line. A copy that
# somebody made, "08_uneven_chunks (2)", is none.
lab_all() {
    for lab_dir in labs/[0-9][0-9]_*/; do
        lab_name=$(basename "$lab_dir")
        case $lab_name in
        *[!a-z0-9_]*) ;;
        *) echo "$lab_name" ;;
        esac
    done
}

# Cheats against the grader itself do not depend on a lab: they lie in
# tests/cheats/any_lab, and this one's solution is what they are done to.
lab_any=08_uneven_chunks

# lab_of_submission FILE: set lab to the folder name of the lab that a file below
# tests/corpus or tests/cheats is graded as.
# shellcheck disable=SC2034
lab_of_submission() {
    lab=${1#*corpus/} lab=${lab#*cheats/} lab=${lab%%/*}
    [ "$lab" != any_lab ] || lab=$lab_any
}

# lab_submissions LAB: print the folders of all that is graded as this lab, each
# on a line.
lab_submissions() {
    printf '%s\n' "tests/corpus/$1" "tests/cheats/$1"
    [ "$1" != "$lab_any" ] || echo tests/cheats/any_lab
}

# lab_has_gpu: is there a real GPU here?
lab_has_gpu() {
    for lab_node in /dev/nvidia[0-9]* /dev/dxg; do
        [ ! -e "$lab_node" ] || return 0
    done
    nvidia-smi -L 2>/dev/null | grep -q GPU
}

# lab_file LAB: succeed where the student's file is there, else one line.
lab_file() {
    [ -f "labs/$1/lab.cu" ] && [ -r "labs/$1/lab.cu" ] && return 0
    echo "labs/$1/lab.cu is missing; make reset LAB=${1%%_*}" \
        "puts the skeleton there" >&2
    return 1
}

# lab_passed LAB: has a grade of it passed?
lab_passed() {
    [ "$(tools/progress show "$1" 2>/dev/null | cut -d' ' -f2)" = yes ]
}

# lab_title LAB: "Lab 08: uneven chunks", as its README has it.
lab_title() {
    title=$(sed -n 's/^# //p; 1q' "labs/$1/README.md" 2>/dev/null)
    echo "${title:-Lab ${1%%_*}}"
}

# lab_baseline BUILD LAB: what its baseline's timeline is called.
lab_baseline() {
    cat "$1/traces/${2%%_*}_baseline.title" 2>/dev/null ||
        echo "without overlap"
}

# lab_jobs BACKEND: how many labs are graded side by side. On a real GPU their
# programs take turns; few of them, so that compilers leave the host's part in
# what is timed alone.
lab_jobs() {
    lab_cores=$(nproc 2>/dev/null || echo 2)
    if [ "$1" = vgpu ] || ! lab_has_gpu; then
        echo "$lab_cores"
    elif [ "$lab_cores" -lt 8 ]; then
        echo 1
    elif [ "$lab_cores" -lt 16 ]; then
        echo $((lab_cores / 4))
    else
        echo 8
    fi
}

# lab_side_by_side FOLDER BUILD BACKEND LAB...: have the tool that asks do "--one
# BUILD BACKEND LAB" for each lab, with lab_keep, several at a time. On the
# virtual GPU time is computed, so that is one a core. Shows what they say in the
# order of the labs, each when it is done; with lab_quiet, on a terminal only how
# many "$lab_quiet" there are. Sets passed and failed. What was
# started ends with its caller: in a session of its own, since a shell's
# background work does not hear Ctrl-C.
# shellcheck disable=SC2034
lab_side_by_side() {
    lab_folder=$1 lab_build=$2 lab_backend=$3
    shift 3
    mkdir -p "$lab_folder" || exit 2
    rm -f "$lab_folder"/*.status "$lab_folder"/*.txt
    printf '%s\n' "$@" >"$lab_folder/labs"
    setsid xargs -P "$(lab_jobs "$lab_backend")" -I{} \
        "$0" --one "$lab_build" "$lab_backend" {} <"$lab_folder/labs" &
    trap 'kill -TERM -$! 2>/dev/null; lab_quiet_end; exit 130' HUP INT TERM
    passed=0 failed=0
    for lab_name; do
        # Until it is done, or whoever does them has ended.
        while [ ! -f "$lab_folder/$lab_name.status" ]; do
            kill -0 $! 2>/dev/null || break
            sleep 0.1
        done
        if [ -z "${lab_quiet:-}" ]; then
            cat "$lab_folder/$lab_name.txt" 2>/dev/null
        elif [ -t 1 ]; then
            printf '  %s: %s\033[K\r' "$lab_quiet" $((passed + failed + 1))
        fi
        if [ "$(cat "$lab_folder/$lab_name.status" 2>/dev/null)" = 0 ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
        fi
    done
    wait
    trap - HUP INT TERM
    lab_quiet_end
}

# lab_quiet_end: take the line back that says how many there are.
lab_quiet_end() {
    [ -z "${lab_quiet:-}" ] || [ ! -t 1 ] || printf '\r\033[K'
}

# lab_keep FOLDER LAB COMMAND...: its output and status for lab_side_by_side.
lab_keep() {
    lab_kept=$1/$2
    shift 2
    "$@" >"$lab_kept.txt" 2>&1
    echo $? >"$lab_kept.status"
}

# lab_usage TOOL LINES: the lines of a tool's head that tell of its use, "2,6".
# Ends it with status 2.
lab_usage() {
    sed -n "$2s/^# \{0,1\}//p" "tools/$1" >&2
    exit 2
}

# lab_colours: set bold, dim, green, red and plain, empty unless on a terminal.
# shellcheck disable=SC2034
lab_colours() {
    bold='' dim='' green='' red='' plain=''
    if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
        bold=$(printf '\033[1m')
        dim=$(printf '\033[2m')
        green=$(printf '\033[32m')
        red=$(printf '\033[31m')
        plain=$(printf '\033[0m')
    fi
}

# lab_number_tap: result lines of TAP that come without numbers get them, and the
# plan follows. Ends with 1 where one is not ok.
lab_number_tap() {
    awk '
    /^(not )?ok - / { sub(/ok -/, "ok " ++lab_results " -") }
    /^not ok / { lab_bad = 1 }
    { print; fflush() }
    END { print "1.." lab_results + 0; exit lab_bad }'
}

# result_facts JSON: "yes 0.95", was it passed and eta; - where speed was not
# graded.
result_facts() {
    awk '/^ *"passed":/ && passed == "" { passed = /true/ ? "yes" : "no" }
         /^ *"eta":/ && eta == "" { eta = $2; sub(/,/, "", eta) }
         END { print passed, eta == "" || eta == "null" ? "-" : eta }' "$1"
}
