#!/bin/bash
# slides_figures.t: a figure of the slides is drawn anew when an input changed
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
unset NO_COLOR MAKEFLAGS MAKELEVEL MFLAGS VGPU_CHECK VGPU_COUNT VGPU_TRACE
node=${NODE:-node}
if ! command -v "$node" >/dev/null 2>&1; then
    echo "1..0 # SKIP no Node here; nothing but the slides needs it"
    exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# A repository with one program, on a device that is a file.
mkdir -p "$tmp/slides/predict" "$tmp/build/bin" "$tmp/build/lib" "$tmp/vgpu"
cp -R common "$tmp"
cp -R slides/tool "$tmp/slides"
cp -R vgpu/include "$tmp/vgpu"
cp build/bin/vgpucc build/bin/timeline "$tmp/build/bin"
cp build/lib/libvgpu.a "$tmp/build/lib"
cp slides/predict/06.cu slides/predict/unit_one_engine.profile \
    "$tmp/slides/predict"
cd "$tmp" || exit 1
program=slides/predict/06.cu
profile=slides/predict/unit_one_engine.profile
cat >draw.mjs <<'END'
import {program} from "./slides/tool/programs.mjs";
process.stdout.write((await program(process.argv[2], "work", "title")).svg);
END
# draw OUT: the figure. ran: was the program run for that?
draw() {
    rm -f work/06
    "$node" draw.mjs "$program" >"$1" 2>said
}
ran() { [ -x work/06 ]; }

draw first && ran && grep -q '</svg>' first
ok 'a figure is drawn'
draw again && ! ran && cmp -s first again
ok 'as before: the program is not run again'
touch "$profile"
draw again && ! ran && cmp -s first again
ok '... nor for a file that is only newer'
sed -i 's/^unit_ns = .*/unit_ns = 3000/' "$profile"
touch -d '2001-01-01' "$profile"
draw other && ran && ! cmp -s first other
ok 'a changed device profile, though it looks old: drawn anew'
for file in vgpu/include/vgpu/memory.h common/helper.h build/lib/libvgpu.a; do
    case $file in
    *.a) touch member && ar r $file member 2>said ;;
    *) echo '/* more */' >>$file ;;
    esac
    draw again && ran && cmp -s other again
    ok "... a changed $file, too"
done
cp "$profile" good
echo 'unit_ns = none' >>"$profile"
! draw again && grep -q 'ended with status' said
ok 'a run that fails is an error'
mv good "$profile"
draw again && ran && cmp -s other again
ok '... and leaves no figure behind'
echo "1..$count"
