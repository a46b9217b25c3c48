import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

// Runs the suites that are too long for `npm test`: every compiled file that ends in .<suite>.js.
const [suite = "conformance", ...words] = process.argv.slice(2);
const tests = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const files = readdirSync(tests, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(`.${suite}.js`))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .map((file) => join(tests, file))
  .sort();
if (files.length === 0) {
  console.error(`no ${suite} file matches ${words.join(" ")}`);
  process.exit(2);
}
/** Some measure, and say so in their names: those have the machine to themselves. */
const [alone, others] = [true, false].map((isAlone) =>
  files.filter((file) => file.endsWith(`.alone.${suite}.js`) === isAlone),
) as [string[], string[]];
const AT_ONCE = 3;
// Only crawls were written to stand company.
const atOnce = suite === "crawls" ? AT_ONCE : 1;
const run = (some: readonly string[], concurrency: number): number => {
  if (some.length === 0) return 0;
  const options = ["--enable-source-maps", "--test", `--test-concurrency=${concurrency}`];
  return spawnSync(process.execPath, [...options, ...some], { stdio: "inherit" }).status ?? 1;
};
// Both run, so that one failure does not hide another.
const codes = [run(others, atOnce), run(alone, 1)];
process.exit(codes.find((code) => code !== 0) ?? 0);
