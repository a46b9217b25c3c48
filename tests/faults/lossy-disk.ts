import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Random } from "../../src/web/seeded-random.ts";
import type { Call } from "./record-calls.ts";

type Change = Extract<Call, { op: "write" | "truncate" }>;
interface File {
  safe: Buffer;
  unsynced: Change[];
}
/** Names are given (a file) or taken away (undefined); a rename does both in one step, on any file system with a journal. */
type Naming = readonly (readonly [path: string, file: File | undefined])[];

/** A disk on which recorded calls are repeated, and which may lose its power: anything that is not synced may be lost. */
export class LossyDisk {
  readonly #safeNames = new Map<string, File>();
  readonly #names = new Map<string, File>();
  #namings: Naming[] = [];

  apply(call: Call): void {
    if (call.op === "told") return;
    const file = this.#names.get(call.path);
    if (call.op === "create") this.#name([[call.path, { safe: Buffer.alloc(0), unsynced: [] }]]);
    else if (call.op === "write" || call.op === "truncate") file!.unsynced.push(call);
    else if (call.op === "sync") {
      file!.safe = applied(file!.safe, file!.unsynced);
      file!.unsynced = [];
    } else if (call.op === "rename") {
      this.#name([
        [call.to, file],
        [call.path, undefined],
      ]);
    } else if (call.op === "unlink") this.#name([[call.path, undefined]]);
    else {
      const isSynced = ([first]: Naming) => dirname(first![0]) === call.path;
      for (const naming of this.#namings) if (isSynced(naming)) putAll(this.#safeNames, naming);
      this.#namings = this.#namings.filter((naming) => !isSynced(naming));
    }
  }

  /** What other processes see. */
  all(): Map<string, Buffer> {
    return new Map(
      [...this.#names].map(([path, { safe, unsynced }]) => [path, applied(safe, unsynced)]),
    );
  }

  /** One possible disk after the power failed. */
  loss(random: Random): Map<string, Buffer> {
    const names = new Map(this.#safeNames);
    const keeps = random.below(3);
    for (const naming of this.#namings) {
      if (keeps === 1 || (keeps === 2 && random.below(2) === 0)) putAll(names, naming);
    }
    const left = new Map<string, Buffer>();
    for (const [path, { safe, unsynced }] of names)
      left.set(path, applied(safe, survivors(unsynced, random)));
    return left;
  }

  #name(naming: Naming): void {
    putAll(this.#names, naming);
    this.#namings.push(naming);
  }
}

/** Writes files to where they belong. */
export function materialise(files: ReadonlyMap<string, Buffer>, from: string, to: string): void {
  for (const [path, bytes] of files) {
    const target = to + path.slice(from.length);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, bytes);
  }
}

/** Nothing, everything, the first changes with a torn one behind them, or any of them. */
function survivors(changes: readonly Change[], random: Random): Change[] {
  const choice = random.below(4);
  if (choice === 0) return [];
  if (choice === 1) return [...changes];
  if (choice === 2) return changes.filter(() => random.below(2) === 0);
  const count = random.below(changes.length + 1);
  const kept = changes.slice(0, count);
  const torn = changes[count];
  if (torn?.op !== "write") return kept;
  const bytes = Buffer.from(torn.bytes, "base64");
  const part = bytes.subarray(0, random.below(bytes.length)).toString("base64");
  return [...kept, { ...torn, bytes: part }];
}

/** Bytes that were never written are zero. */
function applied(content: Buffer, changes: readonly Change[]): Buffer {
  let bytes = content;
  for (const change of changes) {
    const data = change.op === "write" ? Buffer.from(change.bytes, "base64") : undefined;
    const size =
      change.op === "write" ? Math.max(bytes.length, change.at + data!.length) : change.size;
    const next = Buffer.alloc(size);
    bytes.copy(next);
    if (change.op === "write") data!.copy(next, change.at);
    bytes = next;
  }
  return bytes;
}

function putAll(names: Map<string, File>, naming: Naming): void {
  for (const [path, file] of naming) {
    if (file === undefined) names.delete(path);
    else names.set(path, file);
  }
}
