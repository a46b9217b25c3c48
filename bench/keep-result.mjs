import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";

/** Writes what was measured to bench/results/NAME.json, with the day, the machine, its load and the versions. */
export function keepResult(name, experiment, measured) {
  const machine = {
    cpu: os.cpus()[0]?.model,
    cores: os.cpus().length,
    memoryBytes: os.totalmem(),
    system: `${os.type()} ${os.release()}`,
    node: process.version,
    v8: process.versions.v8,
  };
  const date = new Date().toISOString().slice(0, 10);
  const result = { experiment, date, machine, load1: os.loadavg()[0], ...measured };
  const results = new URL("./results/", import.meta.url);
  mkdirSync(results, { recursive: true });
  writeFileSync(new URL(`${name}.json`, results), `${JSON.stringify(result, null, 1)}\n`);
}
