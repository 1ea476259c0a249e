# packages.sh: Debian packages that tests lack, installed where somebody said
# yes to it. Read with ". tests/packages.sh" from the root of the repository.
# shellcheck shell=sh

# packages_may WHAT PACKAGES: may they be installed? In CI and with INSTALL=1
# yes, with INSTALL=0 no; else a person at a terminal is asked.
packages_may() {
    case ${INSTALL:-}/${CI:-} in
    0/*) return 1 ;;
    /'' | /false) ;;
    *) return 0 ;;
    esac
    [ -t 0 ] && [ -t 2 ] || return 1
    printf '%s need these Debian packages, which are not here:\n   %s\n' \
        "$1" "$2" >&2
    printf 'Install them now, as root? [y/N] ' >&2
    read -r packages_answer
    case $packages_answer in
    [yY] | [yY][eE][sS]) packages_asked=1 ;;
    *) return 1 ;;
    esac
}

missing=
# packages_for COMMAND PACKAGE...: missing packages are added to $missing.
packages_for() {
    command -v "$1" >/dev/null 2>&1 && return
    shift
    missing="$missing $*"
}

# packages_need WHAT [PACKAGE...]: install them, or end with status 2 and the
# command that would. Nothing is asked and nothing done where none is named.
packages_need() {
    packages_what=$1 packages_asked=
    shift
    [ $# -gt 0 ] || return 0
    packages_command="apt-get install -y --no-install-recommends $*"
    packages_sudo=
    [ "$(id -u)" = 0 ] || packages_sudo=sudo
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "$packages_what need: $*; install these packages and run again" >&2
        exit 2
    fi
    # Only who was asked can be there to type a password.
    if ! packages_may "$packages_what" " $*" ||
        { [ -n "$packages_sudo" ] && [ -z "$packages_asked" ] &&
            ! sudo -n true 2>/dev/null; }; then
        echo "$packages_what need packages; run:" \
            "${packages_sudo:+sudo }$packages_command" >&2
        [ -n "${INSTALL:-}" ] || echo "or say INSTALL=1 to have it run" >&2
        exit 2
    fi
    echo "installing $*"
    export DEBIAN_FRONTEND=noninteractive
    packages_log=$(mktemp) || exit 2
    if ! { $packages_sudo apt-get update &&
        $packages_sudo $packages_command; } >"$packages_log" 2>&1; then
        tail -n 5 "$packages_log" >&2
        rm -f "$packages_log"
        echo "could not install; run by hand: $packages_command" >&2
        exit 2
    fi
    rm -f "$packages_log"
}
