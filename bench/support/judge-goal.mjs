/** Prints whether a goal holds: the worst repetition against the limit. Returns what a stored result keeps of it. */
export function judgeGoal(what, values, limit, unit) {
  const worst = Math.max(...values);
  const holds = worst <= limit;
  const verdict = holds ? "holds" : "DOES NOT HOLD";
  const found = Number(worst.toPrecision(3));
  console.log(
    `${what}, at most ${limit} ${unit}: ${verdict} (worst of ${values.length}: ${found} ${unit})`,
  );
  return { what, limit, unit, worst, holds };
}

/** Prints what a bench found wrong and makes its exit code 1; sizes as tiny as those of a smoke run prove nothing. */
export function judgeProblems(problems, { smoke }) {
  for (const problem of problems)
    console.log(`  ${problem}${smoke ? " (a smoke run: ignored)" : ""}`);
  process.exitCode = problems.length > 0 && !smoke ? 1 : 0;
}
