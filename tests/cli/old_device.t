#!/bin/bash
# old_device.t: a device with one copy engine or queue, and one whose driver collects
# commands, take no points from solutions that queue as the lab teaches it.
set -u
cd "$(dirname "$0")/../.." || exit 2

number=0
# solutions DEVICE LAB...
solutions() {
    local device=$1 lab file said
    shift
    for lab; do
        file=$(echo "solutions/$lab"_*/lab.cu)
        said=$(VGPU_DEVICE=$device build/bin/grade --backend vgpu \
            --file "$file" "$lab" 2>&1)
        number=$((number + 1))
        case $said in
        *'gains nothing, either'*'passed: 100 of 100 points'* | \
            *"(on a virtual $counts)"*'passed: 100 of 100 points'*)
            echo "ok $number - lab $lab on $device"
            ;;
        *)
            echo "not ok $number - lab $lab on $device"
            echo "$said" | sed 's/^/# /'
            ;;
        esac
    done
}
echo 1..7
counts=
solutions c1060 05 07
counts=k20 # whose times are taken in its place
solutions c1060 09 12
counts=
solutions rtx2070mq-wddm 02 05 08
