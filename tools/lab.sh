# lab.sh: what the tools share. Read with ". tools/lab.sh", not run.
# shellcheck shell=sh

# lab_find WHICH: print the folder name of a lab, from "8", "08" or
# "08_uneven_chunks". Fails with a message that names the labs there are.
lab_find() {
    case $1 in
    [0-9]) lab_pattern=0$1 ;;
    *) lab_pattern=$1 ;;
    esac
    case $lab_pattern in
    *[!a-z0-9_]* | '') ;;
    *)
        for lab_dir in labs/"$lab_pattern" labs/"$lab_pattern"_*; do
            if [ -d "$lab_dir" ]; then
                echo "${lab_dir#labs/}"
                return 0
            fi
        done
        ;;
    esac
    {
        echo "There is no lab '$1'. The labs are:"
        for lab_dir in labs/[0-9]*/; do
            lab_dir=${lab_dir%/}
            echo "    ${lab_dir#labs/}"
        done
    } >&2
    return 1
}
