import type { Discovery } from "../discovery.ts";
import { CREDIT_BYTES } from "../journal/event-batch.ts";
import { LinkBlock, readLinkBlock } from "../link/link-block.ts";
import { readWide, writeWide, writeWord } from "../link/words.ts";
import { CreditList } from "./credit-list.ts";

/*
 * A block of links for another shard is what `LinkBlock` packs. One that carries cash has more:
 *
 *   bytes of the links 32 | links | credit of each link 64 | known targets: fingerprint 2 x 32, credit 64
 */

const HEAD_BYTES = 4;
const AMOUNT_BYTES = 8;

/** Packs links for one shard, and their credits if it carries cash, into at most `maxBytes`. Reusable: `clear` keeps the memory. */
export class CashBlock {
  readonly #maxBytes: number;
  readonly #carriesCash: boolean;
  readonly #links: LinkBlock;
  readonly #amounts: number[] = [];
  readonly #known = new CreditList();
  /** Cash in the block. */
  total = 0;

  constructor(maxBytes: number, carriesCash = true) {
    this.#maxBytes = maxBytes;
    this.#carriesCash = carriesCash;
    this.#links = new LinkBlock(maxBytes);
  }

  get links(): number {
    return this.#links.links;
  }

  /** Adds a link with its credit; false when there is no room. */
  tryAdd(found: Discovery, amount: number): boolean {
    if (!this.#carriesCash) return this.#links.tryAdd(found);
    if (!this.#links.tryAdd(found, this.#behindLinks + AMOUNT_BYTES)) return false;
    this.#amounts.push(amount);
    this.total += amount;
    return true;
  }

  /** Adds a credit for a URL that its owner knows; false when there is no room. */
  tryCredit(low: number, high: number, amount: number): boolean {
    const used = this.#links.used + this.#behindLinks;
    if (used + CREDIT_BYTES > this.#maxBytes) return false;
    this.#known.add(low, high, amount);
    this.total += amount;
    return true;
  }

  /** The bytes of the block. */
  close(): Uint8Array {
    const links = this.#links.bytes.subarray(0, this.#links.used);
    if (!this.#carriesCash) return new Uint8Array(links);
    const bytes = Buffer.allocUnsafe(links.length + this.#behindLinks);
    writeWord(bytes, 0, links.length);
    bytes.set(links, HEAD_BYTES);
    let at = HEAD_BYTES + links.length;
    for (const amount of this.#amounts) {
      writeWide(bytes, at, amount);
      at += AMOUNT_BYTES;
    }
    bytes.set(this.#known.bytes, at);
    return bytes;
  }

  /** Forgets what is in it. */
  clear(): void {
    this.#links.clear();
    if (!this.#carriesCash) return;
    this.#amounts.length = 0;
    this.#known.clear();
    this.total = 0;
  }

  get #behindLinks(): number {
    const known = CREDIT_BYTES * this.#known.length;
    return HEAD_BYTES + AMOUNT_BYTES * this.#amounts.length + known;
  }
}

/** What is in a block. */
export interface CashLoad {
  readonly found: readonly Discovery[];
  /** The credit of each link. */
  readonly amounts: readonly number[];
  /** Credits for URLs that their owner knows, as `CreditList` packs them. */
  readonly known: Buffer;
  readonly total: number;
}

/** Unpacks a block. */
export function readCashBlock(bytes: Buffer): CashLoad {
  const linksEnd = HEAD_BYTES + bytes.readUInt32LE(0);
  const found = readLinkBlock(bytes.subarray(HEAD_BYTES, linksEnd), linksEnd - HEAD_BYTES);
  const amountsEnd = linksEnd + AMOUNT_BYTES * found.length;
  const amounts: number[] = [];
  let total = 0;
  for (let at = linksEnd; at < amountsEnd; at += AMOUNT_BYTES) {
    const amount = readWide(bytes, at);
    amounts.push(amount);
    total += amount;
  }
  const known = bytes.subarray(amountsEnd);
  for (let at = 8; at < known.length; at += CREDIT_BYTES) total += readWide(known, at);
  return { found, amounts, known, total };
}
