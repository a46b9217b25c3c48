import { BUILDERS_VARIABLE, type Drill, THREADS_VARIABLE } from "./drill.ts";

const PROGRESS_MS = 15_000;

/** Runs the drills that the command line names, or all: [--short] [--times N] [--pages N] [--seed N] [--builders N] [--threads N] [NAME...]. */
export async function runDrills(drills: readonly Drill[]): Promise<void> {
  const words: string[] = [];
  const numbers = new Map<string, number>();
  let isShort = false;
  for (let i = 2; i < process.argv.length; i++) {
    const word = process.argv[i]!;
    if (word === "--short") isShort = true;
    else if (/^--(count|times|pages|seed|builders|threads)$/.test(word))
      numbers.set(word, Number(process.argv[++i]));
    else words.push(word);
  }
  for (const word of words) {
    if (drills.some(({ name }) => name === word)) continue;
    console.error(
      `no drill is called ${word}; there are ${drills.map(({ name }) => name).join(", ")}`,
    );
    process.exit(2);
  }
  for (const [name, value] of numbers) {
    if (Number.isInteger(value) && value >= 0) continue;
    console.error(`${name} needs a whole number`);
    process.exit(2);
  }
  const builders = numbers.get("--builders");
  if (builders !== undefined) process.env[BUILDERS_VARIABLE] = String(builders);
  const threads = numbers.get("--threads");
  if (threads !== undefined) process.env[THREADS_VARIABLE] = String(threads);
  const seed = numbers.get("--seed") ?? Date.now() % 1_000_000;
  console.log(`seed ${seed}`);
  let failed = 0;
  for (const drill of drills) {
    if (words.length > 0 && !words.includes(drill.name)) continue;
    const size = isShort ? drill.short : drill.full;
    const count = numbers.get("--times") ?? numbers.get("--count") ?? size.count;
    console.log(`${drill.name}: ${count} times, ${new Date().toISOString().slice(11, 19)}`);
    const startMs = performance.now();
    const secondsSoFar = () => ((performance.now() - startMs) / 1000).toFixed(1);
    let faults: number | undefined;
    const ticker = setInterval(() => {
      const struck = faults === undefined ? "" : `${faults} of ${count} `;
      console.log(`  ${drill.name}: ${struck}after ${secondsSoFar()} s`);
    }, PROGRESS_MS);
    const { figures, problems } = await drill.run({
      count,
      pages: numbers.get("--pages") ?? size.pages,
      seed,
      onFault: (number) => {
        faults = number;
      },
    });
    clearInterval(ticker);
    const seconds = secondsSoFar();
    console.table({ [drill.name]: { ...figures, seconds, problems: problems.length } });
    for (const problem of problems.slice(0, 20)) console.log(`  ${drill.name}: ${problem}`);
    if (problems.length > 0) failed++;
  }
  process.exitCode = failed > 0 ? 1 : 0;
}
