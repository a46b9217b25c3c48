import { CapacityError } from "../../../errors.ts";
import { NOBODY, NodeArena } from "../techniques/node-arena.ts";
import { RecordSlots } from "../techniques/record-slots.ts";

/** A page in the striped set; its URL identifies it. */
export interface Page {
  readonly url: string;
  readonly parent: string;
  readonly links: readonly string[];
  readonly level: number;
}

/*
 *   page node ─NEXT─► next page of the bucket      a node holds some bytes; a page is several nodes
 *     ├ PARENT ─► string
 *     └ LINKS  ─► links ─NEXT─► links              as many as fit, each with its length before it
 *
 * A thread holds all nodes of a page until the page is linked, and again before it is unlinked: what a dead thread held
 * is in the set if it can be reached from a bucket, and free otherwise.
 */
const HASH = 0;
const LEVEL = 1;
const PARENT = 2;
const LINKS = 3;
const PAGE_WORDS = 4;

/** LEVEL of a node that holds a parent or links. */
const NO_PAGE = -1;

/** Bytes before each link in a node. */
const LINK_HEAD = 2;
/** What its two bytes can say. */
const MAX_LINK_BYTES = 0xffff;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function encodeInto(text: string, box: Uint8Array): number {
  const { read, written } = encoder.encodeInto(text, box);
  if (read < text.length) {
    throw new CapacityError(`a URL of ${text.length} characters exceeds ${box.length} bytes`);
  }
  return written;
}

/** Pages in nodes of shared memory. */
export class PageNodes {
  readonly arena: NodeArena;
  readonly #words: Int32Array;
  readonly #base: number;
  readonly #waitMs: number;
  readonly #records: RecordSlots;
  /** The prepared URL. */
  readonly #key: Uint8Array;
  /** Any other string that is copied in or out. */
  readonly #box: Uint8Array;
  /** Links that are copied in or out, with their lengths. */
  readonly #links: Uint8Array;

  constructor(
    memory: SharedArrayBuffer,
    words: Int32Array,
    index: number,
    nodes: number,
    maxBytes: number,
    ownerId: number,
    mayBlock: boolean,
  ) {
    this.#words = words;
    this.#waitMs = mayBlock ? Number.POSITIVE_INFINITY : 0;
    this.arena = new NodeArena(words, index, nodes, ownerId, Number.POSITIVE_INFINITY, 0);
    this.#base = index + NodeArena.words(nodes) - PAGE_WORDS;
    this.#records = new RecordSlots(memory, words.byteLength, nodes + 1, maxBytes + LINK_HEAD);
    this.#key = new Uint8Array(maxBytes);
    this.#box = new Uint8Array(maxBytes);
    this.#links = new Uint8Array(LINK_HEAD + Math.ceil((maxBytes + LINK_HEAD) / 4) * 4);
  }

  /** Words needed for that many nodes. */
  static words(nodes: number): number {
    return NodeArena.words(nodes) + nodes * PAGE_WORDS;
  }

  /** Bytes of payload behind the words. */
  static payloadBytes(nodes: number, maxBytes: number): number {
    return RecordSlots.bytes(nodes + 1, maxBytes + LINK_HEAD);
  }

  /** Sets the URL that `isPage` compares and `store` stores, and returns its length; refuses one that is too long. */
  prepare(url: string): number {
    return encodeInto(url, this.#key);
  }

  /** Refuses strings that are too long, before any lock is taken. */
  check(strings: readonly string[]): void {
    for (const text of strings) {
      const length = encodeInto(text, this.#box);
      if (length > MAX_LINK_BYTES) throw new CapacityError(`a URL of ${length} bytes is too long`);
    }
  }

  /** Makes the nodes of a page with the prepared URL; the caller holds them. NOBODY when there is no room. */
  store(page: Page, hash: number, keyLength: number): number {
    const node = this.arena.allocate(this.#waitMs);
    if (node === NOBODY) return NOBODY;
    this.#records.write(node, this.#key, keyLength);
    this.#set(node, HASH, hash);
    this.#set(node, LEVEL, page.level);
    this.#set(node, PARENT, NOBODY);
    this.#set(node, LINKS, NOBODY);
    this.arena.setNext(node, NOBODY);
    let isWhole = true;
    if (page.parent !== "") {
      const parent = this.#string(page.parent);
      this.#set(node, PARENT, parent);
      isWhole = parent !== NOBODY;
    }
    isWhole = isWhole && this.addLinks(node, page.links, false);
    if (isWhole) return node;
    this.release(node);
    return NOBODY;
  }

  /** Adds the links that a page does not have, one after the other; false when there is no room for one of them. */
  addLinks(node: number, links: readonly string[], isSettled: boolean): boolean {
    if (links.length === 0) return true;
    const known = new Set(this.#linksOf(node));
    let last: number = NOBODY;
    for (let at = this.#get(node, LINKS); at !== NOBODY; at = this.arena.next(at)) last = at;
    for (const link of links) {
      if (known.has(link)) continue;
      known.add(link);
      const length = encodeInto(link, this.#links.subarray(LINK_HEAD));
      this.#links[0] = length & 0xff;
      this.#links[1] = length >>> 8;
      if (last !== NOBODY && this.#records.append(last, this.#links, LINK_HEAD + length)) continue;
      const added = this.#node(this.#links, LINK_HEAD + length);
      if (added === NOBODY) return false;
      this.arena.setNext(added, NOBODY);
      if (last === NOBODY) this.#set(node, LINKS, added);
      else this.arena.setNext(last, added);
      if (isSettled) this.arena.setLive(added);
      last = added;
    }
    return true;
  }

  /** The page is part of the set from now on. */
  settle(node: number): void {
    this.arena.setLive(node);
    const parent = this.#get(node, PARENT);
    if (parent !== NOBODY) this.arena.setLive(parent);
    for (let at = this.#get(node, LINKS); at !== NOBODY; at = this.arena.next(at)) {
      this.arena.setLive(at);
    }
  }

  /** The caller holds the page from now on. */
  seize(node: number): void {
    this.arena.setMine(node);
    const parent = this.#get(node, PARENT);
    if (parent !== NOBODY) this.arena.setMine(parent);
    for (let at = this.#get(node, LINKS); at !== NOBODY; at = this.arena.next(at)) {
      this.arena.setMine(at);
    }
  }

  /** Frees all nodes of a page that the caller holds. */
  release(node: number): void {
    const parent = this.#get(node, PARENT);
    let link = this.#get(node, LINKS);
    this.arena.free(node);
    if (parent !== NOBODY) this.arena.free(parent);
    while (link !== NOBODY) {
      const next = this.arena.next(link);
      this.arena.free(link);
      link = next;
    }
  }

  /** The page as an object. */
  read(node: number): Page {
    const parent = this.#get(node, PARENT);
    return {
      url: this.#text(node),
      parent: parent === NOBODY ? "" : this.#text(parent),
      links: this.#linksOf(node),
      level: this.#get(node, LEVEL),
    };
  }

  /** The hash a page was stored with. */
  hashOf(node: number): number {
    return this.#get(node, HASH);
  }

  /** Whether this node holds a page's URL, not its parent's or a link. */
  isPageNode(node: number): boolean {
    return this.#get(node, LEVEL) !== NO_PAGE;
  }

  /** Whether this is the page with the prepared URL. */
  isPage(node: number, hash: number, keyLength: number): boolean {
    return this.#get(node, HASH) === hash && this.#records.equals(node, this.#key, keyLength);
  }

  #string(text: string): number {
    return this.#node(this.#box, encodeInto(text, this.#box));
  }

  /** A node that is no page, with these bytes. */
  #node(bytes: Uint8Array, length: number): number {
    const node = this.arena.allocate(this.#waitMs);
    if (node === NOBODY) return NOBODY;
    this.#records.write(node, bytes, length);
    this.#set(node, LEVEL, NO_PAGE);
    return node;
  }

  #linksOf(node: number): string[] {
    const links: string[] = [];
    for (let at = this.#get(node, LINKS); at !== NOBODY; at = this.arena.next(at)) {
      const end = this.#records.read(at, this.#links);
      for (let i = 0; i < end; ) {
        const from = i + LINK_HEAD;
        i = from + (this.#links[i]! | (this.#links[i + 1]! << 8));
        links.push(decoder.decode(this.#links.subarray(from, i)));
      }
    }
    return links;
  }

  #text(node: number): string {
    const length = this.#records.read(node, this.#box);
    return decoder.decode(this.#box.subarray(0, length));
  }

  #get(node: number, field: number): number {
    return Atomics.load(this.#words, this.#base + node * PAGE_WORDS + field);
  }

  #set(node: number, field: number, value: number): void {
    Atomics.store(this.#words, this.#base + node * PAGE_WORDS + field, value);
  }
}
