import type { Discovery } from "../discovery.ts";
import {
  headEnd,
  headLength,
  isSameGroup,
  LINK_BYTES,
  linkEnd,
  linksOf,
  readLinks,
  setLinks,
  writeHead,
  writeLink,
} from "./link-codec.ts";

const FIRST_BYTES = 1024;

/** A block of links for another shard that has not confirmed it: it is sent again when a run begins. */
export interface OutboxBlock {
  readonly target: number;
  readonly epoch: number;
  /** Contiguous per target and epoch, from 1. */
  readonly number: number;
  readonly links: number;
  readonly bytes: Uint8Array;
}

/** Packs links for another thread into one block of at most `maxBytes`. Reusable: `clear` keeps the memory. */
export class LinkBlock {
  bytes: Buffer;
  readonly #maxBytes: number;
  /** Bytes in use. */
  used = 0;
  /** Links in the block. */
  links = 0;
  /** The group that is open: its first link, where its head is, and how many links it has. */
  #group: Discovery | undefined;
  #head = 0;
  #inGroup = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.bytes = Buffer.allocUnsafe(Math.min(FIRST_BYTES, maxBytes));
  }

  clear(): void {
    this.used = 0;
    this.links = 0;
    this.#group = undefined;
  }

  /** Adds a link; false when there is no room for it and `reserved` bytes more. */
  tryAdd(found: Discovery, reserved = 0): boolean {
    const isSame = this.#group !== undefined && isSameGroup(this.#group, found);
    const end = this.used + (isSame ? 0 : headLength(found)) + LINK_BYTES + found.url.length;
    if (end + reserved > this.#maxBytes) return false;
    if (end > this.bytes.length) this.#grow(end);
    if (!isSame) {
      this.#group = found;
      this.#head = this.used;
      this.#inGroup = 0;
      this.used = writeHead(this.bytes, this.used, found, 0);
    }
    this.used = writeLink(this.bytes, this.used, found.url);
    setLinks(this.bytes, this.#head, ++this.#inGroup);
    this.links++;
    return true;
  }

  #grow(need: number): void {
    const size = Math.min(this.#maxBytes, Math.max(need, 4 * this.bytes.length));
    const more = Buffer.allocUnsafe(size);
    this.bytes.copy(more, 0, 0, this.used);
    this.bytes = more;
  }
}

/** Unpacks a block. */
export function readLinkBlock(bytes: Buffer, length: number): Discovery[] {
  const found: Discovery[] = [];
  for (let head = 0; head < length; ) {
    const from = headEnd(bytes, head);
    let to = from;
    for (let left = linksOf(bytes, head); left > 0; left--) to = linkEnd(bytes, to);
    readLinks(bytes, head, from, to, found);
    head = to;
  }
  return found;
}
