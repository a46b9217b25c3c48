import type { PageLocation } from "../frontier/finish.ts";
import { openGraph } from "./graph/link-log.ts";
import { openIndex, openLog, openPages, openSkipped } from "./lists/list-writers.ts";
import { openRows } from "./rows/row-writer.ts";
import { openPlainPages, type PlainPages } from "./templates/plain-pages.ts";
import { openTree } from "./tree/tree-writer.ts";
import { openUnkept } from "./unkept-writer.ts";
import { openWarc } from "./warc/warc-writer.ts";
import {
  type Done,
  type Entry,
  inOrder,
  raise,
  together,
  type Writer,
  type WriterOptions,
} from "./writer.ts";

/** The part of the platform's WebAssembly that is used here. */
declare const WebAssembly: { RuntimeError: new () => Error };

/** Everything one builder thread writes, as one writer. */
export class Builder implements Writer {
  /** Synced with every commit. */
  readonly #stores: readonly Writer[];
  readonly #writers: readonly Writer[];
  #isDue = false;
  /** Where a full disk has interrupted `append`, which goes on from there. */
  #interrupted: Entry | undefined;
  #next = 0;
  /** Past the writers, into the same files; undefined where captures are kept otherwise. */
  #plain: PlainPages | undefined;

  constructor(options: WriterOptions) {
    // Writers that keep captures, synced before a journal names what they keep. The first one sets where a capture lies.
    const warc = openWarc(options);
    const otherStores = present([openTree(options), openUnkept(options)]);
    // Nothing else knows skipped links, which are gone through again when the scope grows, and rows of handlers: synced as well.
    const keptLists = [openSkipped(options), openRows(options)];
    // Writers of lists. They write nothing in `append`, and recover can write them again, so they are synced at the end.
    const index = openIndex(options);
    const pages = openPages(options);
    const log = openLog(options);
    const graph = openGraph(options);
    this.#stores = [...present([warc]), ...otherStores, ...keptLists];
    this.#writers = [...this.#stores, ...present([index]), pages, log, graph];
    if (warc !== undefined && index !== undefined && otherStores.length === 0)
      this.#plain = openPlainPages({
        archive: warc.files,
        index: index.files,
        pages: pages.files,
        log: log.files,
        graph: graph.files,
      });
  }

  /** Whether so much waits that it should be flushed. */
  get isDue(): boolean {
    return this.#isDue;
  }

  appendPlain(facts: Buffer, body: Buffer): PageLocation | undefined {
    const plain = this.#plain;
    if (plain === undefined || this.#isDue || this.#interrupted !== undefined) return undefined;
    let place: PageLocation | undefined;
    try {
      place = plain.append(facts, body);
    } catch (fault) {
      // A trap: pages that were whole before it are there, and the writers go on.
      if (!(fault instanceof WebAssembly.RuntimeError)) throw fault;
      this.#take();
      this.#plain = undefined;
      return undefined;
    }
    if (place !== undefined && plain.isDue) this.#isDue = true;
    return place;
  }

  /** What waits in the templates comes before what is appended or flushed now. */
  #take(): void {
    this.#plain?.take();
  }

  append(entry: Entry): boolean {
    this.#take();
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
    this.#take();
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
    this.#take();
    together(
      this.#stores.map((writer) => (next) => writer.sync(next)),
      done,
    );
  }

  /** Closes the archive under its final name, then the lists. */
  close(done: Done = raise): void {
    this.#take();
    inOrder(
      this.#writers.map((writer) => (next) => writer.close(next)),
      done,
    );
  }
}

function present<T>(all: readonly (T | undefined)[]): T[] {
  return all.filter((each) => each !== undefined);
}
