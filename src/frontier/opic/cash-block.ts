import type { Discovery } from "../frontier.ts";
import { PRINT_AND_AMOUNT_BYTES } from "../journal/event-batch.ts";
import { readWide, writeWide } from "../journal/journal-format.ts";
import { LinkBlock, readLinkBlock } from "../link-block.ts";
import { CreditList } from "./credit-list.ts";

/*
 * A block of links that carries cash:
 *
 *   bytes of the links 32 | links (link-block.ts) | credit of each link 64 | known targets: fingerprint 2 x 32, credit 64
 */

const HEAD_BYTES = 4;
const AMOUNT_BYTES = 8;

/** Packs links and credits for one shard into at most `maxBytes`. */
export class CashBlock {
  readonly #maxBytes: number;
  readonly #links: LinkBlock;
  readonly #amounts: number[] = [];
  readonly #known = new CreditList();
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#links = new LinkBlock(maxBytes);
  }

  /** Cash in the block. */
  get total(): number {
    return this.#total;
  }

  get links(): number {
    return this.#links.links;
  }

  /** Adds a link with its credit; false when there is no room. */
  tryAdd(found: Discovery, amount: number): boolean {
    if (!this.#links.tryAdd(found, this.#behindLinks + AMOUNT_BYTES)) return false;
    this.#amounts.push(amount);
    this.#total += amount;
    return true;
  }

  /** Adds a credit for a URL that its owner knows; false when there is no room. */
  tryCredit(low: number, high: number, amount: number): boolean {
    const used = this.#links.used + this.#behindLinks;
    if (used + PRINT_AND_AMOUNT_BYTES > this.#maxBytes) return false;
    this.#known.add(low, high, amount);
    this.#total += amount;
    return true;
  }

  /** The block as it travels. */
  close(): Uint8Array {
    const links = this.#links.used;
    const bytes = Buffer.alloc(links + this.#behindLinks);
    bytes.writeUInt32LE(links, 0);
    this.#links.bytes.copy(bytes, HEAD_BYTES, 0, links);
    let at = HEAD_BYTES + links;
    for (const amount of this.#amounts) {
      writeWide(bytes, amount, at);
      at += AMOUNT_BYTES;
    }
    bytes.set(this.#known.bytes, at);
    return bytes;
  }

  get #behindLinks(): number {
    const known = PRINT_AND_AMOUNT_BYTES * this.#known.length;
    return HEAD_BYTES + AMOUNT_BYTES * this.#amounts.length + known;
  }
}

/** What a block brings. */
export interface CashLoad {
  readonly found: readonly Discovery[];
  /** The credit of each link. */
  readonly amounts: readonly number[];
  readonly known: readonly {
    readonly low: number;
    readonly high: number;
    readonly amount: number;
  }[];
  readonly total: number;
}

/** Unpacks a block. */
export function readCashBlock(bytes: Buffer): CashLoad {
  const linksEnd = HEAD_BYTES + bytes.readUInt32LE(0);
  const found = readLinkBlock(bytes.subarray(HEAD_BYTES, linksEnd), linksEnd - HEAD_BYTES);
  let at = linksEnd;
  let total = 0;
  const next = (): number => {
    const amount = readWide(bytes, at);
    at += AMOUNT_BYTES;
    total += amount;
    return amount;
  };
  const amounts = found.map(next);
  const known: { low: number; high: number; amount: number }[] = [];
  while (at < bytes.length) {
    const [low, high] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    at += 8;
    known.push({ low, high, amount: next() });
  }
  return { found, amounts, known, total };
}
