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
// One file at a time: some of them measure.
const args = ["--enable-source-maps", "--test", "--test-concurrency=1", ...files];
process.exit(spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1);
