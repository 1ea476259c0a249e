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
    lab_known=
    for lab_dir in labs/[0-9]*/; do
        lab_dir=${lab_dir%/}
        [ -d "$lab_dir" ] && lab_known="$lab_known ${lab_dir#labs/}"
    done
    echo "there is no lab '$1'; labs:${lab_known:- none}" >&2
    return 1
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
    if [ "$1" = vgpu ] || ! nvidia-smi -L >/dev/null 2>&1; then
        echo "$lab_cores"
    elif [ "$lab_cores" -lt 8 ]; then
        echo 1
    else
        echo 3
    fi
}

# lab_wait FILE PID: until the file is there, or the process has ended.
lab_wait() {
    while [ ! -f "$1" ]; do
        kill -0 "$2" 2>/dev/null || [ -f "$1" ] || break
        sleep 0.1
    done
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
