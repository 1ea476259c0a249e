# packages.sh: what tests need beyond a compiler and make. Read with
# ". tests/packages.sh" from the folder that has build/; packages_unpack names
# unpack.sh where that is not tests/unpack.sh.
#
# What is missing is fetched and unpacked below build/packages (unpack.sh), and
# runs from there: nothing else on the machine changes, and nobody has to be
# root. INSTALL=1 installs it on the machine instead. What was unpacked comes
# last on PATH, so that what is installed goes before it.
# shellcheck shell=sh
packages_place=$PWD/build/packages
case :$PATH: in
*":$packages_place/bin:"*) ;;
*) PATH=$PATH:$packages_place/bin ;;
esac
export PATH

# They look for their own files where they would be installed, and nowhere else.
packages_fixed=' chromium firefox-esr fonts-dejavu-core fonts-liberation
    jupyter-nbconvert python3-ipykernel
    libpython3-stdlib munge nodejs npm slurm-client slurmctld slurmd '

missing='' packages_asked=''
# packages_for COMMAND PACKAGE...: these are added to $missing where the command
# is not there. A FILE of the machine, /usr/..., may stand for a command.
packages_for() {
    packages_asked="$packages_asked $1"
    packages_have "$1" && return
    shift
    missing="$missing $*"
}

packages_have() {
    case $1 in
    /*) ls -d $1 "$packages_place/root"$1 2>/dev/null | grep -q . ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

# The library of the unit tests, whose header wants others ahead of it.
packages_for_cmocka() {
    printf '#include <%s.h>\n' stdarg stddef stdint setjmp cmocka |
        ${CC:-cc} -E -x c - >/dev/null 2>&1 ||
        packages_for /usr/include/cmocka.h libcmocka-dev
}

# packages_need WHAT: have what packages_for found missing, or end with status 2
# and a line that says what to do.
packages_need() {
    packages_what=$1
    # shellcheck disable=SC2086 # a list
    set -- $missing
    [ $# -gt 0 ] || return 0
    packages_sudo=
    [ "$(id -u)" = 0 ] || packages_sudo='sudo '
    packages_hand="${packages_sudo}apt-get install -y --no-install-recommends $*"
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "$packages_what need: $*; install these packages and run again" >&2
        exit 2
    fi
    for packages_name; do
        case $packages_fixed${INSTALL:-0} in
        *" $packages_name "*0)
            echo "$packages_what need packages that run only installed; run:" \
                "$packages_hand (INSTALL=1 does so)" >&2
            exit 2
            ;;
        esac
    done
    packages_log=$packages_place/log
    mkdir -p "$packages_place" && : >"$packages_log" || exit 2
    if [ "${INSTALL:-0}" = 0 ]; then
        echo "fetching $* into build/packages, once"
        "${packages_unpack:-tests/unpack.sh}" "$@" >"$packages_log" 2>&1 || packages_fail fetch
    else
        echo "installing $*"
        packages_install >"$packages_log" 2>&1 || packages_fail install
    fi
    for packages_name in $packages_asked; do
        packages_have "$packages_name" || {
            echo "no $packages_name in these packages" >>"$packages_log"
            packages_fail use
        }
    done
}

packages_install() (
    export DEBIAN_FRONTEND=noninteractive
    sudo=$packages_sudo
    # Nobody may be there to type a password.
    [ -t 0 ] || sudo=${sudo:+sudo -n }
    $sudo apt-get update && $sudo ${packages_hand#sudo }
)

packages_fail() { # VERB
    grep -v '^ *$' "$packages_log" | tail -n 5 | sed 's/^/  /' >&2
    echo "could not $1 what $packages_what need; run: $packages_hand" >&2
    exit 2
}
