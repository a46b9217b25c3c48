import { basename } from "node:path";

/*
 * What a disk may hold after the power failed. A recorder keeps the calls of a writer; `powerLosses` replays every
 * prefix of them. Synced bytes and names are there; of the rest any part may be missing, torn, or there without what
 * was written before it. `kill -9` cannot show this, because the page cache survives the process.
 */

type Change = { op: "write"; at: number; bytes: Buffer } | { op: "truncate"; size: number };
type Naming = { op: "link"; name: string; file: number } | { op: "unlink"; name: string };
type Step =
  | (Change & { file: number })
  | Naming
  | { op: "sync"; file: number }
  | { op: "sync-folder" }
  | { op: "note"; value: number };

/** One possible content of the folder after a power loss. */
export interface Loss {
  readonly files: ReadonlyMap<string, Buffer>;
  /** The number noted last before the loss. */
  readonly noted: number;
  /** For messages: after how many steps, and what was lost. */
  readonly what: string;
}

/** Records the calls by which a writer changes one folder; nothing reaches the real disk. */
export class RecordedFiles {
  readonly steps: Step[] = [];
  readonly #names = new Map<string, number>();
  readonly #contents: Buffer[] = [];

  create(path: string): number {
    const name = basename(path);
    const there = this.#names.get(name);
    if (there !== undefined && this.#contents[there]!.length === 0) return there;
    if (there !== undefined)
      throw Object.assign(new Error(`${name} is not empty`), { code: "EEXIST" });
    const file = this.#contents.push(Buffer.alloc(0)) - 1;
    this.#names.set(name, file);
    this.steps.push({ op: "link", name, file });
    return file;
  }

  open(path: string): number {
    return this.#names.get(basename(path))!;
  }

  write(file: number, bytes: Uint8Array, from: number): number {
    this.writeAt(file, bytes.subarray(from), this.#contents[file]!.length);
    return bytes.length - from;
  }

  /** A write at a place of its own, for mutants that do not append. */
  writeAt(file: number, bytes: Uint8Array, at: number): void {
    this.#change(file, { op: "write", at, bytes: Buffer.from(bytes) });
  }

  truncate(file: number, size: number): void {
    this.#change(file, { op: "truncate", size });
  }

  size(file: number): number {
    return this.#contents[file]!.length;
  }

  sync(file: number): void {
    this.steps.push({ op: "sync", file });
  }

  close(): void {}

  remove(path: string): void {
    this.#names.delete(basename(path));
    this.steps.push({ op: "unlink", name: basename(path) });
  }

  rename(from: string, to: string): void {
    const file = this.open(from);
    this.#names.delete(basename(from));
    this.#names.set(basename(to), file);
    // Two changes of names: a disk may keep either alone.
    this.steps.push(
      { op: "link", name: basename(to), file },
      { op: "unlink", name: basename(from) },
    );
  }

  syncFolder(): void {
    this.steps.push({ op: "sync-folder" });
  }

  /** Remembers what the writer has promised by now. */
  note(value: number): void {
    this.steps.push({ op: "note", value });
  }

  /** What other processes see: the page cache, which a killed process leaves behind. */
  visible(): Map<string, Buffer> {
    return new Map([...this.#names].map(([name, file]) => [name, this.#contents[file]!]));
  }

  #change(file: number, change: Change): void {
    this.#contents[file] = applied(this.#contents[file]!, [change]);
    this.steps.push({ ...change, file });
  }
}

/** All losses after every prefix of the steps. */
export function* powerLosses(steps: readonly Step[]): Generator<Loss> {
  const safe = new Map<number, Buffer>();
  const changes = new Map<number, Change[]>();
  let safeNames = new Map<string, number>();
  let namings: Naming[] = [];
  let noted = 0;
  for (const [index, step] of steps.entries()) {
    if (step.op === "note") noted = step.value;
    else if (step.op === "link" || step.op === "unlink") namings.push(step);
    else if (step.op === "sync-folder") {
      safeNames = named(safeNames, namings);
      namings = [];
    } else if (step.op === "sync") {
      safe.set(step.file, applied(safe.get(step.file), changes.get(step.file) ?? []));
      changes.delete(step.file);
    } else changes.set(step.file, [...(changes.get(step.file) ?? []), step]);
    for (const [how, names] of nameChoices(safeNames, namings)) {
      for (const [what, contents] of contentChoices(safe, changes)) {
        const files = new Map<string, Buffer>();
        for (const [name, file] of names) files.set(name, contents.get(file) ?? Buffer.alloc(0));
        yield { files, noted, what: `after ${index + 1} steps, names ${how}, ${what}` };
      }
    }
  }
}

function* nameChoices(
  safe: Map<string, number>,
  pending: readonly Naming[],
): Generator<[string, Map<string, number>]> {
  yield ["lost", safe];
  if (pending.length > 0) yield ["kept", named(safe, pending)];
  if (pending.length < 2) return;
  for (const [i, one] of pending.entries()) yield [`lost but ${i}`, named(safe, [one])];
}

/** Every file loses everything, nothing, or a part, while all others lose everything or nothing. */
function* contentChoices(
  safe: ReadonlyMap<number, Buffer>,
  pending: ReadonlyMap<number, readonly Change[]>,
): Generator<[string, Map<number, Buffer>]> {
  const all = new Map(safe);
  for (const [file, changes] of pending) all.set(file, applied(safe.get(file), changes));
  yield ["unsynced bytes lost", new Map(safe)];
  if (pending.size === 0) return;
  yield ["all bytes kept", all];
  for (const [file, changes] of pending) {
    for (const [what, part] of parts(changes)) {
      const bytes = applied(safe.get(file), part);
      yield [`file ${file} ${what}, others lost`, new Map(safe).set(file, bytes)];
      if (pending.size > 1)
        yield [`file ${file} ${what}, others kept`, new Map(all).set(file, bytes)];
    }
  }
}

function* parts(changes: readonly Change[]): Generator<[string, Change[]]> {
  for (const [i, change] of changes.entries()) {
    const before = changes.slice(0, i);
    yield [`cut before change ${i}`, before];
    if (i > 0) yield [`with change ${i} alone`, [change]];
    if (change.op !== "write") continue;
    const { at, bytes } = change;
    for (const cut of new Set([1, bytes.length >> 1, bytes.length - 9, bytes.length - 1])) {
      if (cut <= 0 || cut >= bytes.length) continue;
      yield [
        `torn ${cut} bytes into change ${i}`,
        [...before, { ...change, bytes: bytes.subarray(0, cut) }],
      ];
      const rest = { op: "write" as const, at: at + cut, bytes: bytes.subarray(cut) };
      yield [
        `without the first ${cut} bytes of change ${i}`,
        [...before, rest, ...changes.slice(i + 1)],
      ];
    }
  }
}

function named(safe: ReadonlyMap<string, number>, pending: readonly Naming[]): Map<string, number> {
  const names = new Map(safe);
  for (const naming of pending) {
    if (naming.op === "link") names.set(naming.name, naming.file);
    else names.delete(naming.name);
  }
  return names;
}

/** Changes in order; bytes that were never written are zero. */
function applied(content: Buffer | undefined, changes: readonly Change[]): Buffer {
  let bytes = content ?? Buffer.alloc(0);
  for (const change of changes) {
    const size =
      change.op === "write" ? Math.max(bytes.length, change.at + change.bytes.length) : change.size;
    const next = Buffer.alloc(size);
    bytes.copy(next);
    if (change.op === "write") change.bytes.copy(next, change.at);
    bytes = next;
  }
  return bytes;
}
