/** Says whether a goal holds, by the worst of some repetitions against its limit; answers what a stored result keeps of it. */
export function tellGoal(what, values, limit, unit) {
  const worst = Math.max(...values);
  const holds = worst <= limit;
  const verdict = holds ? "holds" : "DOES NOT HOLD";
  const found = Number(worst.toPrecision(3));
  console.log(
    `${what}, at most ${limit} ${unit}: ${verdict} (worst of ${values.length}: ${found} ${unit})`,
  );
  return { what, limit, unit, worst, holds };
}
