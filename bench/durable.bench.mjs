// The durable frontier as a whole: memory and CPU per URL (bench/frontier-memory.bench.mjs), with both orders, then how
// soon it can be used after a kill (bench/recovery.bench.mjs). Options go to both.
// Needs a build: npm run build && node bench/durable.bench.mjs [--known 1e8 --queued 1e7] [--sizes 1e6,1e7] [--save]
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

function run(name, ...more) {
  const script = fileURLToPath(new URL(`${name}.bench.mjs`, import.meta.url));
  console.log([name, ...more].join(" "));
  execFileSync(process.execPath, [script, ...process.argv.slice(2), ...more], { stdio: "inherit" });
}

run("frontier-memory");
run("frontier-memory", "--order", "opic");
run("recovery");
