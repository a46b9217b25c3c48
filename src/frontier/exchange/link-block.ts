import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Discovery } from "../discovery.ts";
import { VIAS } from "../via.ts";
import { isSameGroup } from "./same-group.ts";

/*
 * A block of links for one foreign thread. Links of one page share their parent, so they form groups:
 *
 *   block = group*       group = parent, depth, how found, redirect chain, count, link{count}
 *
 * Canonical URLs are ASCII, so every string is a 16-bit length and that many latin-1 bytes.
 */

const SEED_FLAG = 0x80;
const LINK_OVERHEAD = 2;
/** Length of the parent, depth, how, chain length, count. */
const GROUP_OVERHEAD = 2 + 4 + 1 + 1 + 2;
const PRINT_LENGTH = 16;

const FIRST_BYTES = 1024;

/** Packs links into one block of at most `maxBytes`. */
export class LinkBlock {
  bytes: Buffer;
  readonly #maxBytes: number;
  #used = 0;
  #links = 0;
  #countAt = -1;
  #group: Discovery | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.bytes = Buffer.allocUnsafe(Math.min(FIRST_BYTES, maxBytes));
  }

  /** Bytes in use. */
  get used(): number {
    return this.#used;
  }

  /** Links in the block. */
  get links(): number {
    return this.#links;
  }

  /** Forgets the links and keeps the memory. */
  clear(): void {
    this.#used = 0;
    this.#links = 0;
    this.#group = undefined;
  }

  /** Adds a link; false when the block has no room for it and `spare` bytes more. */
  tryAdd(found: Discovery, spare = 0): boolean {
    const sameGroup = this.#group !== undefined && isSameGroup(this.#group, found);
    let need = LINK_OVERHEAD + found.url.length;
    if (!sameGroup) {
      need += GROUP_OVERHEAD + (found.parent?.length ?? 0) + found.chain.length * PRINT_LENGTH;
    }
    if (this.#used + need + spare > this.#maxBytes) return false;
    if (this.#used + need > this.bytes.length) this.#grow(this.#used + need);
    if (!sameGroup) this.#openGroup(found);
    this.#writeText(found.url);
    this.bytes.writeUInt16LE(this.bytes.readUInt16LE(this.#countAt) + 1, this.#countAt);
    this.#links++;
    return true;
  }

  #grow(need: number): void {
    const more = Buffer.allocUnsafe(
      Math.min(this.#maxBytes, Math.max(need, 4 * this.bytes.length)),
    );
    this.bytes.copy(more, 0, 0, this.#used);
    this.bytes = more;
  }

  #openGroup(found: Discovery): void {
    this.#group = found;
    this.#writeText(found.parent ?? "");
    this.#used = this.bytes.writeUInt32LE(found.depth, this.#used);
    const how = VIAS.indexOf(found.via) | (found.seed ? SEED_FLAG : 0);
    this.#used = this.bytes.writeUInt8(how, this.#used);
    this.#used = this.bytes.writeUInt8(found.chain.length, this.#used);
    for (const link of found.chain) this.#used += this.bytes.write(link, this.#used, "latin1");
    this.#countAt = this.#used;
    this.#used = this.bytes.writeUInt16LE(0, this.#used);
  }

  #writeText(text: string): void {
    this.#used = this.bytes.writeUInt16LE(text.length, this.#used);
    this.#used += this.bytes.write(text, this.#used, "latin1");
  }
}

/** Unpacks a block. */
export function readLinkBlock(bytes: Buffer, length: number): Discovery[] {
  const found: Discovery[] = [];
  let at = 0;
  const text = (size: number): string => {
    at += size;
    return bytes.toString("latin1", at - size, at);
  };
  while (at < length) {
    const parentLength = bytes.readUInt16LE(at);
    at += 2;
    const parent = parentLength === 0 ? undefined : (text(parentLength) as CrawlUrl);
    const depth = bytes.readUInt32LE(at);
    const how = bytes.readUInt8(at + 4);
    const via = VIAS[how & ~SEED_FLAG]!;
    const seed = (how & SEED_FLAG) !== 0;
    const chainLength = bytes.readUInt8(at + 5);
    at += 6;
    const chain = Array.from({ length: chainLength }, () => text(PRINT_LENGTH));
    const count = bytes.readUInt16LE(at);
    at += 2;
    for (let i = 0; i < count; i++) {
      const size = bytes.readUInt16LE(at);
      at += 2;
      found.push({ url: text(size) as CrawlUrl, parent, depth, via, seed, chain });
    }
  }
  return found;
}
