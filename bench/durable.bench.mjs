// The durable frontier when it is large: resident memory and CPU per URL with many URLs known and queued, against a
// small one in the same process; and how soon it can be used again after a kill.
// Needs a build: npm run build && node bench/durable.bench.mjs
//   [--known 1e8] [--queued 1e7] [--restart 1e7] [--hosts 1e5] [--threads 2] [--repetitions 3] [--save]
//
// "add": new links, one batch per page of 100: hash, dedup, queue, journal. "known": links met before. "take": a URL
// leaves the queue and its end is journalled. Queued URLs went through all of that; of URLs known and not queued there
// are random fingerprints in the seen-set. "restart": a process that journals is killed, then threads open its shards.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SHARDS = 16;
const SMALL = { known: 1e6, queued: 1e5 };
const PAGE_LINKS = 100;
const child = fileURLToPath(new URL("durable.child.mjs", import.meta.url));
const argument = (name, otherwise) =>
  process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : otherwise;
const large = { known: argument("--known", 1e7), queued: argument("--queued", 1e6) };
const restartUrls = argument("--restart", 1e6);
const hosts = argument("--hosts", 1e5);
const threads = argument("--threads", 2);
const repetitions = argument("--repetitions", 3);

function run(role, options) {
  const output = execFileSync(process.execPath, [child, role, JSON.stringify(options)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 26,
  });
  return JSON.parse(output);
}

async function inFolder(work) {
  const folder = mkdtempSync(join(os.tmpdir(), "orbweaver-durable-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Kills a writing process once so many URLs are durable, then opens what it left. */
async function restart(folder) {
  const options = { folder, shards: SHARDS, hosts, threads };
  const writer = spawn(process.execPath, [child, "write", JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(writer, "exit");
  let durable = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    durable = Number(line);
    if (durable >= restartUrls) writer.kill("SIGKILL");
  }
  await ended;
  const opened = run("open", options);
  if (opened.known < durable || opened.known % PAGE_LINKS !== 0 || opened.queued !== opened.known) {
    throw new Error(`${durable} URLs were durable, but found: ${JSON.stringify(opened)}`);
  }
  return { durable, ...opened };
}

const rows = [];
for (let repetition = 0; repetition < repetitions; repetition++) {
  const grown = await inFolder((folder) =>
    run("grow", { folder, shards: SHARDS, hosts, small: SMALL, large }),
  );
  const ratio = (name) => grown.large[name] / grown.small[name];
  const ratios = {
    add: ratio("addMicrosPerUrl"),
    known: ratio("knownMicrosPerUrl"),
    take: ratio("takeMicrosPerUrl"),
  };
  const restarted = await inFolder(restart);
  rows.push({ repetition, ...grown, ratios, restarted });
  for (const [name, at] of [
    ["small", grown.small],
    ["large", grown.large],
  ]) {
    console.log(
      `${name}: ${at.known} known, ${at.queued} queued: add ${at.addMicrosPerUrl.toFixed(2)}, known ` +
        `${at.knownMicrosPerUrl.toFixed(2)}, take ${at.takeMicrosPerUrl.toFixed(2)} us; ${Math.round(at.rss / 2 ** 20)} MiB`,
    );
  }
  console.log(
    `large against small: add ${ratios.add.toFixed(2)}, known ${ratios.known.toFixed(2)}, take ${ratios.take.toFixed(2)}`,
  );
  console.log(
    `killed with ${restarted.durable} URLs durable: ${restarted.known} usable after ${Math.round(restarted.usableMs)} ms, ` +
      `${Math.round(restarted.rss / 2 ** 20)} MiB`,
  );
}
if (process.argv.includes("--save")) {
  const result = {
    experiment: "bench/durable.bench.mjs",
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cpu: os.cpus()[0].model,
      cores: os.cpus().length,
      memoryBytes: os.totalmem(),
      system: `${os.type()} ${os.release()}`,
      node: process.version,
      v8: process.versions.v8,
    },
    unit: "microseconds of CPU (user and system) per URL; wall milliseconds from starting the threads to the first lease",
    load1: os.loadavg()[0],
    hosts,
    threads,
    rows,
  };
  const results = new URL("./results/", import.meta.url);
  mkdirSync(results, { recursive: true });
  writeFileSync(new URL("durable.json", results), `${JSON.stringify(result, null, 1)}\n`);
}
