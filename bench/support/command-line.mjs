import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** This checkout. */
export const root = resolve(fileURLToPath(new URL("../..", import.meta.url)));

/** The command line of a checkout's build. */
export const commandOf = (checkout = root) => join(checkout, "build", "src", "cli", "main.js");

/** Options of a command line: { "max-pages": 10, quiet: true } is --max-pages 10 --quiet. */
export function flagsOf(options) {
  return Object.entries(options).flatMap(([flag, value]) =>
    value === true ? [`--${flag}`] : [`--${flag}`, String(value)],
  );
}

/** Runs node to its end. */
export function runTimed(args) {
  return commandTimed([process.execPath, ...args]);
}

/** Runs a command to its end. CPU and wall seconds come from bash, so the last moments of the process count, too. */
export async function commandTimed(command) {
  const script = 'TIMEFORMAT="cpu %3U %3S %3R"; time "$@"; exit 0';
  const shell = ["-c", script, "bash", ...command];
  const { stdout, stderr } = await promisify(execFile)("bash", shell, { maxBuffer: 2 ** 24 });
  const times = /cpu ([\d.]+) ([\d.]+) ([\d.]+)/.exec(stderr);
  if (times === null) throw new Error(`bash timed nothing: ${stderr}`);
  const [user, system, wall] = times.slice(1).map(Number);
  return { stdout, stderr, cpu: user + system, system, wall };
}

/** Runs a crawl to its end; its summary with CPU and wall seconds. */
export async function crawlTimed(start, options, { checkout = root, nodeFlags = [] } = {}) {
  const flags = flagsOf({ ...options, json: true, quiet: true });
  const args = [...nodeFlags, commandOf(checkout), "crawl", ...start, ...flags];
  const { stdout, stderr, ...times } = await runTimed(args);
  if (stdout === "") throw new Error(`the crawl of ${checkout} failed: ${stderr}`);
  return { ...JSON.parse(stdout), ...times };
}
