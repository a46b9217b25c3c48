import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { ControlError, StoreCorruptError } from "../../errors.ts";
import { AppendFile } from "../../store/files/append-file.ts";
import { parseJson } from "../../store/files/jsonl.ts";
import { cutFile, syncFolder } from "../../store/files/system-calls.ts";
import type { ControlChange } from "./control-change.ts";
import { ControlState } from "./control-state.ts";

/** What all changes of a crawl may take on disk, and in memory while it runs. */
const MAX_BYTES = 64 * 1024 * 1024;
const LINE_END = 0x0a;

/** A line of the log: when, and what. */
type ControlLine = ControlChange & { readonly at: string };

/**
 * logs/control.jsonl: every change of course, a line each, synced before the change is obeyed and answered. So a run that
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
    const line = Buffer.from(`${JSON.stringify({ at, ...change } satisfies ControlLine)}\n`);
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
  const changes: ControlLine[] = [];
  if (!existsSync(path)) return { changes, bytes: 0 };
  const all = readFileSync(path);
  let from = 0;
  for (let to = all.indexOf(LINE_END, from); to >= 0; to = all.indexOf(LINE_END, from)) {
    const line = parseJson(all.toString("utf8", from, to)) as ControlLine | undefined;
    if (typeof line?.event !== "string") {
      // A power loss may leave the length of the last line without its bytes.
      if (to + 1 === all.length) break;
      throw new StoreCorruptError(`${path}:${from}: not a line of this log as it was written`);
    }
    changes.push(line);
    from = to + 1;
  }
  return { changes, bytes: from };
}
