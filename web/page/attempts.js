/* attempts.js: progress, as tools/progress counts it
 *
 * A lab that passed once stays passed; the best points and the best eta are
 * kept, and how the last attempt ended. What could not be graded is no attempt.
 */

/** @param store of store.js; @param grade labs[0] of grade's JSON
 * @returns what is known of that lab now */
export async function countAttempt(store, grade) {
  const key = "progress/" + grade.lab, old = await store.get(key) || {};
  const now = {
    passed: Boolean(old.passed || grade.passed),
    attempts: (old.attempts || 0) + 1,
    best: Math.max(old.best ?? 0, grade.score),
    most: grade.max_score,
    eta: grade.eta === null || grade.eta === undefined ? old.eta ?? null :
      Math.max(old.eta ?? -Infinity, grade.eta),
    last: grade.passed ? "passed" : "failed",
    lastScore: grade.score,
  };
  await store.put(key, now);
  return now;
}

/** As `make grade` says it after a grade. */
export function attemptWords(now) {
  return `attempt ${now.attempts}, best ${now.best} of ${now.most} points` +
    (now.eta === null ? "" : `, best eta ${now.eta.toFixed(3)}`);
}

/** What to do next in a lab, in the words of `make`. */
export function stateWords(now, quiz, begun) {
  const points = now ? `${now.best} of ${now.most} points` : "";
  const asked = quiz ? `, quiz ${quiz.right} of ${quiz.of}` : "";
  if (now?.passed) {
    return `passed, ${points}` + asked +
      (now.last === "passed" ? "" : `; last grade ${now.lastScore}`);
  }
  if (now) {
    return `not passed, best ${points}, ` +
      `${now.attempts} attempt${now.attempts === 1 ? "" : "s"}` + asked;
  }
  return (begun ? "begun" : "not begun") + asked;
}
