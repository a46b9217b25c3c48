// Rivals: flatqueue from npm (bench/rivals) and std::priority_queue built by g++ here and now. Absent ones are skipped.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const rivals = fileURLToPath(new URL("../rivals/node_modules/", import.meta.url));
const source = fileURLToPath(new URL("std-queue.cpp", import.meta.url));

/** flatqueue behind our interface, or undefined. Its smallest value leaves first, so priorities change sign. */
export async function loadFlatqueue() {
  const folder = join(rivals, "flatqueue");
  if (!existsSync(folder)) return undefined;
  const { default: FlatQueue } = await import(join(folder, "index.js"));
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  class Flat {
    comparisons = Number.NaN;
    constructor(capacity) {
      this.queue = new FlatQueue(capacity); // a fixed capacity gives it typed arrays, its faster mode
    }
    insertMany({ priorities, ids, length }) {
      for (let i = 0; i < length; i++) this.queue.push(ids[i], -priorities[i]);
    }
    extractTop(count, into) {
      const at = into.extend(count);
      for (let i = 0; i < count; i++) {
        into.priorities[at + i] = -this.queue.peekValue();
        into.ids[at + i] = this.queue.pop();
      }
      return into;
    }
  }
  return { version, create: (capacity) => new Flat(capacity) };
}

/** Builds the C++ program; undefined without g++. */
export function buildStd() {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-queue-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const version = execFileSync("g++", ["--version"], { encoding: "utf8" }).split("\n")[0];
    const program = join(folder, "std-queue");
    execFileSync("g++", ["-O2", "-std=c++17", "-o", program, source]);
    const run = ({ keys, batch, rounds }) =>
      Number(
        execFileSync(program, [keys, batch, rounds].map(String), { encoding: "utf8" }).split(
          " ",
        )[0],
      );
    return { version, run, remove };
  } catch (error) {
    remove();
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
