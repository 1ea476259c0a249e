# kept.sh: what was green is not run again where nothing that it depends on has
# changed. Read with ". tests/kept.sh" from the root of the repository.
#
# A result is kept under a key: the hash of every file that tests/inputs names
# for the suite, of the words that it was called with, and of what the machine
# has. It is kept by a clean clone alone, and only where nothing failed, in
# $KEPT_HOME (~/.cache/cuda-streams-lab/tests). KEPT=0: nothing is read or kept.
# shellcheck shell=bash

kept_home=${KEPT_HOME:-${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/cuda-streams-lab/tests}

# What the machine has that a result may depend on: its kernel, its packages, and
# the programs themselves where they come from elsewhere.
kept_environment() {
    local one
    uname -srm
    nproc
    ls -d /dev/nvidiactl /dev/dxg 2>/dev/null
    dpkg-query -W -f '${Package} ${Version}\n' 2>/dev/null
    for one in "${CC:-cc}" gcc g++ clang clang++ make bash node nvcc python3 \
        "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" chromium firefox-esr; do
        one=$(command -v "$one") && stat -Lc '%n %s %Y' "$one"
    done
    env | LC_ALL=C sort | grep -E \
        '^(CC|CXX|[A-Z]*FLAGS|CUDA_HOME|JOBS|BACKEND|BROWSERS|NODE|VGPU_[A-Z]*)='
}

# git, of the working tree as it is.
kept_git() { GIT_INDEX_FILE=$KEPT_STATE/index git "$@"; }

# Once for a run and all that it starts: the working tree as an index, and the
# machine's hash.
kept_begin() {
    [ "${KEPT:-1}" != 0 ] && [ -z "${KEPT_STATE:-}" ] || return 0
    KEPT_STATE=$(mktemp -d) || return 0
    export KEPT_STATE
    if cp -p "$(git rev-parse --git-dir 2>/dev/null)/index" "$KEPT_STATE/index" &&
        kept_git add -A -- . &&
        mkdir -p "$kept_home"; then
        kept_environment | sha256sum >"$KEPT_STATE/environment"
        [ -n "$(git status --porcelain)" ] || : >"$KEPT_STATE/clean"
        find "$kept_home" -type f -mtime +30 -delete
    else
        rm -f "$KEPT_STATE/index"
    fi 2>/dev/null
    kept_began_here=1
}

# At the end of who began it.
kept_end() {
    [ -z "${kept_began_here:-}" ] || rm -rf "$KEPT_STATE"
}

# kept_files NAME: the files that a suite depends on, as git lists them.
kept_files() {
    local specs
    mapfile -t specs < <(kept_inputs "$1")
    [ ${#specs[@]} -gt 0 ] || return
    kept_git ls-files -s -- "${specs[@]}"
}

# kept_inputs NAME: what tests/inputs says of a suite, a pathspec on each line.
kept_inputs() {
    awk -v name="$1" '
        # Does the pattern, which has one "*" at most, fit? What it took: taken.
        function fits(pattern,    at) {
            at = index(pattern, "*")
            if (!at)
                return pattern == name
            taken = substr(name, at)
            return substr(name, 1, at - 1) == substr(pattern, 1, at - 1)
        }
        function say(specs,    word, n, i) {
            n = split(specs, word, " ")
            for (i = 1; i <= n; i++) {
                if (word[i] in known)
                    say(known[word[i]])
                else {
                    gsub("%", took, word[i])
                    print word[i]
                }
            }
        }
        /^ *(#|$)/ { next }
        { specs = $0; sub(/^[^ ]+ +/, "", specs) }
        /^@/ { known[$1] = known[$1] " " specs; next }
        fits($1) { found = specs; took = taken }
        END { say(found) }' tests/inputs
}

# kept_key NAME WORD...: the key of a suite called with these words; nothing
# where nothing can be kept.
kept_key() {
    local files
    [ "${KEPT:-1}" != 0 ] && [ -f "${KEPT_STATE:-/nowhere}/index" ] || return 1
    files=$(kept_files "$1") && [ -n "$files" ] || return 1
    { printf '%s\n' "$@" "$files" && cat "$KEPT_STATE/environment"; } |
        sha256sum | cut -c 1-40
}

# kept_store KEY FILE: keep what a green run said.
kept_store() {
    [ -n "$1" ] && [ -f "$KEPT_STATE/clean" ] || return 0
    cp "$2" "$kept_home/$1.$$" && mv "$kept_home/$1.$$" "$kept_home/$1"
} 2>/dev/null

# kept_say FILE: a kept output, with what passed as skipped.
kept_say() {
    awk '/^ok / { sub(/ # SKIP.*/, ""); print $0 " # SKIP kept"; next }
        /^[0-9]+ passed, 0 failed/ {
            n = $1
            if (match($0, /[0-9]+ skipped/))
                n += substr($0, RSTART, RLENGTH)
            print "0 passed, 0 failed, " n " skipped"
            next
        }
        { print }' "$1"
}

# kept NAME COMMAND...: run the command, or say what it said when it was green
# with the same inputs. Its status is the command's. What fails is never kept.
kept() {
    local name=$1 key='' out status
    shift
    key=$(kept_key "$name" "$@")
    if [ -n "$key" ] && [ -s "$kept_home/$key" ]; then
        touch "$kept_home/$key"
        kept_say "$kept_home/$key"
        return 0
    fi
    if [ -z "$key" ] || [ ! -f "$KEPT_STATE/clean" ]; then
        "$@"
        return
    fi
    out=$(mktemp) || return
    "$@" | tee "$out"
    status=${PIPESTATUS[0]}
    if [ "$status" -eq 0 ] && ! grep -q '^not ok\|^Bail out' "$out"; then
        kept_store "$key" "$out"
    fi
    rm -f "$out"
    return "$status"
}
