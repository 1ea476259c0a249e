# asked.t: the virtual GPU answers as the H200 did that was asked
# (docs/measured/asked-nvidia-h200-x1), but for what differences.txt has. Where
# the H200's program died, what comes later was not asked.
cd "$(dirname "$0")/../.." || exit 1
. vgpu/tests/tap.sh
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
asked=docs/measured/asked-nvidia-h200-x1

for source in "$asked"/*.cu; do
    name=$(basename "$source" .cu)
    build/bin/vgpucc -std=c++17 -O2 -lcuda "$source" -o "$tmp/$name" \
        >"$tmp/err" 2>&1
    ok "$name is built"
    VGPU_DEVICE=h200 VGPU_COUNT=1 timeout 60 "$tmp/$name" >"$tmp/answers" \
        2>/dev/null
    diff "$asked/$name.txt" "$tmp/answers" | sed -n 's/^< //p' >"$tmp/other"
    sed -n "s/^$name: //p" "$asked/differences.txt" >"$tmp/known"
    diff "$tmp/known" "$tmp/other" >"$tmp/out"
    ok "$name answers as the H200 did"
done
echo "1..$count"
