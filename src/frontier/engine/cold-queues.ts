import { deflateRaw, inflateRawSync } from "node:zlib";
import type { Engine } from "./engine.ts";
import type { HeldPartition } from "./held-partition.ts";

/** Links of a host that stay as they are, and of a block. */
const KEEP = 64;
const MOST = 1000;
const LEAST = 100;
/** Between two questions how much memory the engine uses. */
const ASK_MS = 2000;
/** Where the marks of a packed block stand: behind the id of its first link, in place of how that was found. */
const MARK_AT = 8;
const MARK = 0x0f;
const LENGTH_BYTES = 2;

/** What packing needs. */
export interface ColdParts {
  /** Above this many bytes links are packed. */
  readonly maxBytes: number;
  readonly engine: () => Engine;
  readonly post: (answer: () => void) => void;
}

/**
 * Packs links that will not be taken for long into compressed blocks while the engine uses more memory than it should. The
 * holder of a partition does it, one block at a time; the engine only puts the block where the links stood.
 */
export class ColdQueues {
  readonly #parts: ColdParts;
  readonly #known = new WeakMap<HeldPartition, Map<string, number>>();
  /** The engine uses more memory than it should. */
  isFull = false;
  #askedMs = Number.NEGATIVE_INFINITY;
  /** A block is being packed. */
  isBusy = false;
  #turn = 0;
  /** Links packed so far. */
  packed = 0;

  constructor(parts: ColdParts) {
    this.#parts = parts;
  }

  /** Asks how full the engine is, and packs a block if it is too full. */
  work(partitions: readonly HeldPartition[], nowMs: number): void {
    const { maxBytes, engine, post } = this.#parts;
    if (nowMs - this.#askedMs >= ASK_MS) {
      this.#askedMs = nowMs;
      engine().memory((bytes) =>
        post(() => {
          this.isFull = bytes > maxBytes;
        }),
      );
    }
    if (!this.isFull || this.isBusy || partitions.length === 0) return;
    this.#pack(partitions[this.#turn++ % partitions.length]!);
  }

  #pack(held: HeldPartition): void {
    const { engine, post } = this.#parts;
    const known = this.#known.get(held) ?? new Map<string, number>();
    this.#known.set(held, known);
    this.isBusy = true;
    const { number: partition, token } = held;
    const wanted = { partition, token, keep: KEEP, most: MOST, least: LEAST, known };
    engine().chill(wanted, (cold) => {
      if (cold === undefined) {
        this.isBusy = false;
        return;
      }
      const { host, from, links } = cold;
      const first = links.findIndex((link) => !isPacked(link));
      const end = links.findIndex((link, i) => i > first && isPacked(link));
      const run = first < 0 ? [] : links.slice(first, end < 0 ? links.length : end);
      if (first !== 0 || run.length < LEAST) {
        // Blocks that stand there already, or too few links between two of them.
        known.set(host, from + (first < 0 ? links.length : first === 0 ? run.length : first));
        this.isBusy = false;
        return;
      }
      packLinks(run, (packed) => {
        const block = { partition, token, host, from, links: run, packed };
        engine().pack(block, (isPacked) =>
          post(() => {
            this.isBusy = false;
            if (isPacked) this.packed += run.length;
            if (isPacked) known.set(host, from + 1);
            else known.delete(host);
          }),
        );
      });
    });
  }
}

/** Whether a record is a block of links. */
export function isPacked(record: Buffer): boolean {
  return (record[MARK_AT]! & MARK) === MARK;
}

/** Compresses links into one record; it begins as the first one does. */
export function packLinks(links: readonly Buffer[], onPacked: (packed: Buffer) => void): void {
  const parts = links.flatMap((link) => {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt16LE(link.length);
    return [length, link];
  });
  deflateRaw(Buffer.concat(parts), (error, bytes) => {
    if (error) throw error;
    onPacked(Buffer.concat([links[0]!.subarray(0, MARK_AT), Buffer.of(MARK), bytes]));
  });
}

/** The links of a packed record. */
export function unpackLinks(packed: Buffer): Buffer[] {
  const bytes = inflateRawSync(packed.subarray(MARK_AT + 1));
  const links: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const from = at + LENGTH_BYTES;
    at = from + bytes.readUInt16LE(at);
    links.push(bytes.subarray(from, at));
  }
  return links;
}
