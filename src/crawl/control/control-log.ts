import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { ControlError, StoreCorruptError } from "../../errors.ts";
import { AppendFile } from "../../store/files/append-file.ts";
import { sealedJson } from "../../store/files/sealed-json.ts";
import { readSealedLines } from "../../store/files/sealed-lines.ts";
import { cutFile, syncFolder } from "../../store/files/system-calls.ts";
import type { ControlChange } from "./control-change.ts";
import { ControlState } from "./control-state.ts";

/** What all changes of a crawl may take on disk, and in memory while it runs. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A line of the log: when, and what. */
type ControlLine = ControlChange & { readonly at: string };

/**
 * logs/control.jsonl: every change of course, a line each with its checksum, synced before the change is obeyed and answered. So a run that
 * follows a crash knows all that were answered. Nothing is there until the first change.
 */
export class ControlLog {
  readonly #path: string;
  #file: AppendFile | undefined;
  /** Bytes of whole lines. */
  #whole: number;
  /** What all lines add up to. */
  readonly state = new ControlState();

  /** Reads what earlier runs were told. What a crash left of the last line was never answered, and is ignored. */
  constructor(path: string) {
    this.#path = path;
    const { changes, bytes } = readControlLog(path);
    for (const change of changes) this.state.apply(change);
    this.#whole = bytes;
  }

  /** Makes a change durable, then part of the state. Throws a DiskFullError, and changes nothing, when the disk takes no more. */
  append(change: ControlChange, nowMs: number): void {
    const at = new Date(nowMs).toISOString();
    const line = sealedJson({ at, ...change } satisfies ControlLine);
    if (this.#whole + line.length > MAX_BYTES)
      throw new ControlError(
        "full",
        `logs/control.jsonl holds ${MAX_BYTES / 2 ** 20} MiB of changes: no more are taken`,
      );
    const file = this.#open();
    file.write(line);
    file.sync();
    this.#whole += line.length;
    this.state.apply(change);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #open(): AppendFile {
    if (this.#file !== undefined) return this.#file;
    const isNew = !existsSync(this.#path);
    if (!isNew) cutFile(this.#path, this.#whole);
    this.#file = new AppendFile(this.#path, "append");
    if (isNew) syncFolder(dirname(this.#path));
    return this.#file;
  }
}

/** The changes in a log, and how many of its bytes are whole lines. */
export function readControlLog(path: string): { changes: ControlLine[]; bytes: number } {
  const { lines, damages, bytes } = readSealedLines(path);
  const [damage] = damages;
  if (damage !== undefined)
    throw new StoreCorruptError(
      `${path}:${damage.from}: not a line of this log as it was written; orbweaver recover keeps the others`,
    );
  return { changes: lines.map(({ value }) => value as ControlLine), bytes };
}
