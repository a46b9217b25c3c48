import { openGraph } from "./graph/link-log.ts";
import { openIndex, openLog, openPages, openSkipped } from "./lists/list-writers.ts";
import { openRows } from "./rows/row-writer.ts";
import { openTree } from "./tree/tree-writer.ts";
import { openUnkept } from "./unkept-writer.ts";
import { openWarc } from "./warc/warc-writer.ts";
import {
  type Done,
  type Entry,
  inOrder,
  type OpenWriter,
  raise,
  type Writer,
  type WriterOptions,
} from "./writer.ts";

/** Writers that keep captures, synced before a journal names what they keep. The first one sets where a capture lies. */
const STORES: readonly OpenWriter[] = [openWarc, openTree, openUnkept];
/** Nothing else knows skipped links, which are gone through again when the scope grows, and rows of handlers: synced as well. */
const KEPT_LISTS: readonly OpenWriter[] = [openSkipped, openRows];
/** Writers of lists. They write nothing in `append`, and recover can write them again, so they are synced at the end. */
const LISTS: readonly OpenWriter[] = [openIndex, openPages, openLog, openGraph];

/** Everything one builder thread writes, as one writer. */
export class Builder implements Writer {
  /** Synced with every commit. */
  readonly #stores: readonly Writer[];
  readonly #writers: readonly Writer[];
  #isDue = false;
  /** Where a full disk has interrupted `append`, which goes on from there. */
  #interrupted: Entry | undefined;
  #next = 0;

  constructor(options: WriterOptions) {
    const open = (writers: readonly OpenWriter[]) =>
      writers.map((each) => each(options)).filter((writer) => writer !== undefined);
    this.#stores = open([...STORES, ...KEPT_LISTS]);
    this.#writers = [...this.#stores, ...open(LISTS)];
  }

  append(entry: Entry): boolean {
    // Whoever was told and has not flushed.
    if (this.#isDue) this.flush();
    if (entry !== this.#interrupted) this.#next = 0;
    this.#interrupted = entry;
    for (; this.#next < this.#writers.length; this.#next++)
      if (this.#writers[this.#next]!.append(entry)) this.#isDue = true;
    this.#interrupted = undefined;
    return this.#isDue;
  }

  /** Records come before the lines that name them. */
  flush(done: Done = raise): void {
    inOrder(
      this.#writers.map((writer) => (next) => writer.flush(next)),
      (fault) => {
        if (fault === undefined) this.#isDue = false;
        done(fault);
      },
    );
  }

  /** Every record survives a power loss. */
  sync(done: Done = raise): void {
    inOrder(
      this.#stores.map((writer) => (next) => writer.sync(next)),
      done,
    );
  }

  /** Closes the archive under its final name, then the lists. */
  close(done: Done = raise): void {
    inOrder(
      this.#writers.map((writer) => (next) => writer.close(next)),
      done,
    );
  }
}
