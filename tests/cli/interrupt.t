#!/bin/bash
# interrupt.t: who ends make demo ends all that it started
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/build/bin" "$place"/labs/0{1,2,3}_x
cp -R tools "$place"
# A grader that takes long, and tells who it is.
cat >"$place/build/bin/grade" <<'END'
#!/bin/sh
echo $$ >>build/graders
exec sleep 600
END
chmod +x "$place/build/bin/grade"
cd "$place" || exit 1
touch build/graders
# TERM is handled as Ctrl-C is, which a shell's background work does not hear.
tools/demo build vgpu 01_x 02_x 03_x >/dev/null 2>&1 &
demo=$!
for _ in {1..100}; do
    [ "$(wc -l <build/graders)" -gt 0 ] && break
    sleep 0.1
done
kill -TERM $demo
wait $demo
ended=$?
[ $ended -eq 130 ]
ok "make demo ends with the status of an interrupted program"
sleep 0.5
left=
for pid in $(cat build/graders); do
    ! grep -qs sleep "/proc/$pid/cmdline" || left="$left $pid"
done
[ -s build/graders ] && [ -z "$left" ]
ok "no grading of it runs on"

# What could not run is not drawn as it was the last time.
cat >build/bin/grade <<'END'
#!/bin/sh
echo "grade: not here" >&2
exit 2
END
printf '#!/bin/sh\necho an old picture\n' >build/bin/timeline
chmod +x build/bin/timeline
mkdir -p build/traces && touch build/traces/01_{baseline,student}.trace
drawn=$(tools/run-lab build vgpu 1 2>/dev/null)
[ $? -eq 2 ] && [ -z "$drawn" ]
ok "a lab that could not run is not drawn"
echo "1..$count"
