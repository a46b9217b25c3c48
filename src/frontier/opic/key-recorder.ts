import { closeSync, openSync, writeSync } from "node:fs";
import { diskFault } from "../../errors.ts";

/** Characters that are collected before they are written: few calls, since they happen on a crawler's event loop. */
const MAX_WAITING = 1 << 16;

/**
 * Writes the keys that go into the queue of a thread and how many come out, for experiments (`--record-keys`): lines
 * {"thread":0,"insert":[…]} and {"thread":0,"extract":n}. All threads append whole lines to one file.
 */
export class KeyRecorder {
  readonly #file: string;
  readonly #fd: number;
  readonly #thread: number;
  #inserted: number[] = [];
  #extracted = 0;
  #lines = "";

  constructor(file: string, thread: number) {
    this.#file = file;
    this.#thread = thread;
    this.#fd = openSync(file, "a");
  }

  insert(priority: number): void {
    if (this.#extracted > 0) this.#endExtract();
    this.#inserted.push(priority);
    if (this.#inserted.length >= 1024) this.#endInsert();
  }

  extract(): void {
    if (this.#inserted.length > 0) this.#endInsert();
    this.#extracted++;
  }

  close(): void {
    this.#endInsert();
    this.#endExtract();
    this.#flush();
    closeSync(this.#fd);
  }

  #endInsert(): void {
    if (this.#inserted.length > 0) this.#add({ thread: this.#thread, insert: this.#inserted });
    this.#inserted = [];
  }

  #endExtract(): void {
    if (this.#extracted > 0) this.#add({ thread: this.#thread, extract: this.#extracted });
    this.#extracted = 0;
  }

  #add(line: object): void {
    this.#lines += `${JSON.stringify(line)}\n`;
    if (this.#lines.length >= MAX_WAITING) this.#flush();
  }

  #flush(): void {
    try {
      if (this.#lines !== "") writeSync(this.#fd, this.#lines);
    } catch (error) {
      throw diskFault(error, this.#file);
    }
    this.#lines = "";
  }
}
