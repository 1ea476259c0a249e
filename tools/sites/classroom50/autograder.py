"""autograder.py: run by Classroom 50 for each submission, in the student's
checkout. Grades it with the copy of the course beside this file and leaves
result.json there, of the form classroom50/result/v1.

The form, and what the runner sets and expects, is described on the page
Advanced-Autograding of https://github.com/foundation50/classroom50/wiki.
A status that is not 0 says that there is no grade: the grader failed, or what
was handed in cannot be told for the lab."""
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def utc(seconds):
    when = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def grade(tree, handed_in):
    """Return: the result, as the course's own writer has made it."""
    subprocess.run(["tar", "-xzf", HERE / "grader.tar.gz", "-C", tree], check=True)
    subprocess.run(["make", "-s", "-C", tree, "tools"], check=True)
    labs = (tree / "LABS").read_text().strip()
    said = subprocess.run([tree / "tools/grade-one", "build", labs, handed_in],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    made = tree / "build/one/results/classroom50/result.json"
    if made.is_file():
        return json.loads(made.read_text())
    if (tree / "build/one/results/not_graded").is_file():
        raise ValueError(said.strip())
    # Nothing was handed in: one test that failed, with the reason.
    known = os.environ
    return {
        "schema": "classroom50/result/v1",
        "classroom": known.get("CLASSROOM", "local"),
        "assignment": known.get("ASSIGNMENT", "local"),
        "assignment_type": known.get("ASSIGNMENT_TYPE") or "individual",
        "owner": known.get("OWNER") or known.get("USERNAME") or "local",
        "submission": known.get("SUBMISSION_TAG", "submit/local"),
        "commit": known.get("COMMIT_URL", "local"),
        "release": known.get("RELEASE_URL", "local"),
        "review": known.get("REVIEW_URL") or known.get("COMMIT_URL", "local"),
        "datetime": utc(datetime.datetime.now().timestamp()),
        "score": 0,
        "max-score": 100,
        "tests": [{"test-name": "handed in", "passed": False, "score": 0,
                   "max-score": 100, "message": said.strip()}],
    }


def main():
    here = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        result = grade(pathlib.Path(folder), here)
    # When it was handed in, which no later grading changes.
    commit = subprocess.run(["git", "show", "-s", "--format=%ct", "HEAD"],
                            stdout=subprocess.PIPE, text=True, check=False).stdout
    if commit.strip().isdigit():
        result["graded_at"] = result["datetime"]
        result["datetime"] = utc(int(commit))
    (here / "result.json").write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"::error::no grade: {error}", file=sys.stderr)
        sys.exit(1)
