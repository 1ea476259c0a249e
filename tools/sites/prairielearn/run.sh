#!/bin/sh
# run.sh: the entrypoint of PrairieLearn's external grader, for each submission:
# /grade/student is graded as /grade/tests/LABS says. Without results.json
# PrairieLearn says that grading failed: that is no grade of the student's.
#
# The folders and the form of results.json are those of
# https://prairielearn.readthedocs.io/en/latest/externalGrading/
root=${GRADE:-/grade}
tree=${TREE:-/opt/cuda-streams-lab} # of an image that Containerfile made
if [ ! -x "$tree/build/bin/grade" ]; then
    tree=$(mktemp -d) || exit 2
    trap 'rm -rf "$tree"' EXIT
    tar -xzf "$root/serverFilesCourse/cuda_streams_lab/grader.tar.gz" \
        -C "$tree" && make -s -C "$tree" tools || exit 2
fi
cd "$tree" && mkdir -p "$root/results" &&
    tools/grade-one build "$(cat "$root/tests/LABS")" "$root/student" &&
    cp build/one/results/prairielearn/results.json "$root/results/results.json"
