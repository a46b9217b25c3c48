import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";

const folder = new URL("../results/", import.meta.url);

/** Writes what was measured to bench/results/NAME.json, with the date, the machine, its load and the versions. */
export function keepResult(name, measured) {
  const machine = {
    cpu: os.cpus()[0]?.model,
    cores: os.cpus().length,
    memoryBytes: os.totalmem(),
    system: `${os.type()} ${os.release()}`,
    node: process.version,
    v8: process.versions.v8,
  };
  const experiment = process.argv[1].replace(/.*\/(?=bench\/)/, "");
  const date = new Date().toISOString().slice(0, 10);
  const result = { experiment, date, machine, load1: os.loadavg()[0], ...measured };
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(result, null, 1)}\n`);
}

/** What was stored last under this name; {} when nothing was. */
export function storedResult(name) {
  try {
    return JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));
  } catch {
    return {};
  }
}

/** Writes plots beside the results: SVG text by name. */
export function keepPlots(plots) {
  mkdirSync(folder, { recursive: true });
  for (const [name, svg] of Object.entries(plots))
    writeFileSync(new URL(`${name}.svg`, folder), svg);
}
