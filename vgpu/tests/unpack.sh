#!/bin/sh
# unpack.sh PACKAGE...: Debian packages and what they need, fetched by the
# machine's apt with lists and a cache of its own, and unpacked so that their
# commands run from where they lie, below the folder where it is called:
#
#     build/packages/root    the files, as they would lie below /
#     build/packages/bin     a script for each command; this goes on PATH
#
# Nothing outside is changed. What is installed here already is left out. No
# package's own set-up runs: what that would do is done here (finish_).
set -u
place=$PWD/build/packages
root=$place/root
PATH=$PATH:$place/bin
mkdir -p "$root/usr" "$place/bin" "$place/apt/lists/partial" \
    "$place/cache/archives/partial" || exit 2

# As an ordinary user, without the machine's hooks, which would clean its cache.
cat >"$place/apt.conf" <<END
Dir::State "$place/apt/";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "$place/cache/";
Debug::NoLocking "true";
APT::Sandbox::User "$(id -un)";
APT::Install-Recommends "false";
APT::Get::Assume-Yes "true";
APT::Keep-Downloaded-Packages "true";
Acquire::Retries "2";
#clear APT::Update;
#clear DPkg::Pre-Install-Pkgs;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
END
get() { apt-get -q -c "$place/apt.conf" "$@"; }

# In Debian /bin is /usr/bin, and so on: so here, before anything is unpacked.
lay_out() {
    for folder in bin sbin lib lib32 lib64 libx32; do
        mkdir -p "$root/usr/$folder" &&
            { [ -L "$root/$folder" ] || ln -s "usr/$folder" "$root/$folder"; } ||
            return
    done
}

is_installed() { # FILE.deb
    name=$(dpkg-deb -f "$1" Package):$(dpkg-deb -f "$1" Architecture)
    dpkg-query -W -f '${db:Status-Status}\n' "$name" "${name%:*}" 2>/dev/null |
        grep -qx installed
}

# Newer ones of what is installed here are fetched, too, where a package wants
# them; this machine's own have to do.
unpack() {
    for deb in "$place"/cache/archives/*.deb; do
        [ -e "$deb" ] || continue
        is_installed "$deb" ||
            dpkg-deb --fsys-tarfile "$deb" |
            tar -x -C "$root" --keep-directory-symlink --no-same-owner \
                --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' \
                --exclude='./usr/share/locale/*' || return
        rm -f "$deb"
    done
}

# Scripts and settings name files by where they would lie. One that is here and
# nowhere else is named by where it is.
move_names() {
    find "$root/usr/bin" "$root/usr/sbin" "$root/usr/games" "$root/etc" \
        "$root/usr/lib" "$root/usr/share/perl5" "$root"/usr/*-linux-gnu* -type f \
        -size -200k \( -path '*/bin/*' -o -path '*/sbin/*' -o -path '*/etc/*' \
        -o -path '*/games/*' -o -name '*.specs' -o -name 'lib*.so' \) \
        2>/dev/null |
        ROOT=$root xargs -d '\n' -r perl -e '
            my $root = $ENV{ROOT};
            for my $file (@ARGV) {
                next if !-T $file || !open my $in, "<", $file;
                my $text = join "", <$in>;
                my $old = $text;
                $text =~ s{(?:(?<![\w.\$\})/-])|(?<=-[LI]))(/(?:usr|etc|lib)\b[\w.+/-]*\w)}
                    {-e "$root$1" && !-e $1 ? "$root$1" : $1}ge;
                next if $text eq $old;
                chmod 0644 | (stat $file)[2] & 0777, $file;
                open my $out, ">", $file or die "$file: $!\n";
                print $out $text;
            }'
}

# Links to where the files would lie.
move_links() {
    find "$root" -type l -lname '/*' | while read -r link; do
        to=$(readlink "$link")
        [ -e "$to" ] || [ ! -e "$root$to" ] || ln -sfn "$root$to" "$link"
    done
}

# aspell's words are put in order when it is installed.
finish_aspell() {
    words=$root/usr/lib/aspell
    [ -d "$words" ] || return 0
    for list in "$root"/usr/share/aspell/*.cwl.gz; do
        name=${list##*/} name=${name%.cwl.gz}
        [ ! -s "$words/$name.rws" ] || continue
        rm -f "$words/$name.rws"
        gzip -dc "$list" | precat | aspell --per-conf=/dev/null \
            --lang="${name%%[-_]*}" create master "$words/$name.rws" || return
    done
}

write_commands() {
    libraries=$(find "$root/usr/lib" -name 'lib*.so.*' -printf '%h\n' |
        sort -u | grep -v '/gcc-cross/' | tr '\n' ':')
    for program in "$root"/usr/bin/* "$root"/usr/sbin/* "$root"/usr/games/*; do
        [ -f "$program" ] && [ -x "$program" ] || continue
        command=$place/bin/${program##*/}
        cat >"$command.new" <<END && chmod +x "$command.new" &&
#!/bin/sh
LD_LIBRARY_PATH=${libraries%:}\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
ASPELL_CONF='dict-dir $root/usr/lib/aspell;data-dir $root/usr/lib/aspell'
export LD_LIBRARY_PATH ASPELL_CONF
exec "$program" "\$@"
END
            mv "$command.new" "$command" || return
    done
}

# Another one may be at it.
exec 9>"$place/lock" && flock 9 || exit 2
lay_out && get update && get --download-only install "$@" && unpack &&
    move_names && move_links && write_commands && finish_aspell || exit
rm -rf "$place/apt" "$place/cache"
