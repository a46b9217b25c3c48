import { readFileSync } from "node:fs";
import type { LatinBuffer } from "../runtime/latin-buffer.ts";
import { type KnownTable, LINK_WORDS, PackedLinks } from "./packed-links.ts";

/** The part of the platform's WebAssembly that is used here. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: object };
  Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
};

/** What the engine has to know about tags and bytes; the tables are those of the reference, so both mean the same. */
export interface EngineTables {
  /** Length and spelling of each id. */
  readonly lengths: Uint8Array;
  readonly names: readonly string[];
  /** By id. */
  readonly kind: Uint8Array;
  readonly inline: Uint8Array;
  readonly treatment: Uint8Array;
  readonly inTable: Uint8Array;
  readonly inSelect: Uint8Array;
  readonly tablePart: Uint8Array;
  readonly withAttributes: Uint8Array;
  /** By byte. */
  readonly breaks: Uint8Array;
  readonly lower: Uint8Array;
  /** One table for each kind of charset. */
  readonly wordBytes: readonly [utf8: Uint8Array, singleByte: Uint8Array, multiByte: Uint8Array];
  /** Elements that JavaScript wants to see, by id: 1 always, 2 if it is a meta element whose name may be wanted, 3 a link element that may lead. */
  readonly asked: Uint8Array;
  readonly tags: Readonly<Record<"a" | "desc" | "select" | "tbody" | "title" | "xmp", number>>;
}

/** An element that leads somewhere, or says something about the page: the places of three values, -1 when absent. */
export interface EngineRecord {
  readonly tag: number;
  readonly attribute: number;
  readonly from: number;
  readonly to: number;
  /** rel, or the http-equiv of a meta element. */
  readonly secondFrom: number;
  readonly secondTo: number;
  /** type, or the name of a meta element. */
  readonly thirdFrom: number;
  readonly thirdTo: number;
}

/** Answers for a record where it leads, undefined when nowhere. */
export type AskAbout = (record: EngineRecord) => string | undefined;

interface EngineCode extends Record<string, unknown> {
  scan(from: number, length: number, charset: number): number;
  resolve(
    base: number,
    origin: number,
    folder: number,
    page: number,
    asked: number,
    asksRel: number,
    metaLengths: number,
  ): number;
  remember(low: number, high: number): void;
  leaveOutKnown(links: number): number;
  forgetKnown(): void;
  enterNames(count: number): void;
  setTags(...ids: number[]): void;
  setSeed(low: number, high: number): void;
}

/** Exported constants of the code. */
type Place = { readonly value: number };

// Of these 12 MiB only what pages have needed so far is really in memory.
const MEMORY_PAGES = 185;
const WASM_PAGE_BYTES = 1 << 16;
const MARGIN_BYTES = 64;

// Results of the engine: places in `found`.
export const RECORDS = 0;
export const WORDS = 1;
/** How many pieces the first words are in. */
export const PIECES = 2;
/** Where title and language of the root element begin, -1 without one; where they end. */
export const TITLE = 3;
export const TITLE_END = 4;
export const LANGUAGE = 5;
export const LANGUAGE_END = 6;
const LINKS = 7;
/** The links before repeats were left out. */
export const LINKS_ALL = 8;
const LINES_BYTES = 9;
const ORIGINS = 10;
/** The record of the first base element; -1 without one. */
export const BASE = 11;
/** 1 when the title, the language is as it stands there what the reference would make of it. */
export const IS_TITLE_PLAIN = 12;
export const IS_LANGUAGE_PLAIN = 13;
const FIRST_BYTES = 14;
const CELLS = 15;

// What the URL parser copies unchanged (see url/fast-path.ts); the classes are those of resolve.ts.
const NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~!$&'()*+,;=:@|[]";
const QUERY = `${NAME.replace("'", "")}./?%\\^\`{}`;
const PATH_CLASSES = { "/": 2, ".": 3, "%": 4, "?": 5, "#": 6 };
const HOST = "abcdefghijklmnopqrstuvwxyz0123456789-";

/**
 * Scans pages and resolves their plain links in WebAssembly (`assembly/`), in a memory that is reserved once. It only
 * reads: of links it remembers what it is told (`remember`), nothing else from one page to the next. On any doubt it
 * answers false, and the reference in TypeScript (`parse/`) decides.
 */
export class PageEngine implements KnownTable {
  /** The whole memory. */
  readonly memory: LatinBuffer;
  /** Room for a page, and the longest it may be. */
  readonly page: LatinBuffer;
  readonly maxPageBytes: number;
  readonly #code: EngineCode;
  /** The links of the last page, LINK_WORDS each. */
  readonly #linkWords: Uint32Array;
  readonly doubtful: Int32Array;
  /** What the last page is like. */
  readonly found: Int32Array;
  readonly #records: Int32Array;
  /** Of each piece of the first words where it begins and ends; one that ends before 0 only ends a word. */
  readonly pieceEnds: Int32Array;
  readonly #baseAt: number;
  readonly #linesAt: number;
  readonly #askedAt: number;
  readonly #firstTextAt: number;
  #latest: PackedLinks | undefined;
  /** Whose links are remembered. */
  #keeper: object | undefined;
  #ask: AskAbout | undefined;
  #fault: unknown;
  #seedLow = 0;
  #seedHigh = 0;

  constructor(module: object, tables: EngineTables) {
    const memory = new WebAssembly.Memory({ initial: MEMORY_PAGES, maximum: MEMORY_PAGES });
    const instance = new WebAssembly.Instance(module, {
      env: { memory, ask: (record: number, at: number) => this.#answer(record, at) },
    });
    const code = instance.exports as EngineCode;
    const at = (name: string) => (code[name] as Place).value;
    if (at("MEMORY_BYTES") > MEMORY_PAGES * WASM_PAGE_BYTES) throw new Error("too little memory");
    this.#code = code;
    this.memory = Buffer.from(memory.buffer) as LatinBuffer;
    this.maxPageBytes = at("MAX_PAGE");
    const pageEnd = at("PAGE") + this.maxPageBytes + MARGIN_BYTES;
    this.page = this.memory.subarray(at("PAGE"), pageEnd) as LatinBuffer;
    const words = (name: string, count: number) => new Int32Array(memory.buffer, at(name), count);
    this.found = words("CELLS", CELLS);
    this.#records = words("RECORDS", (at("RECORD") / 4) * (at("MAX_RECORDS") + 1));
    this.pieceEnds = words("PIECES", 2 * at("MAX_PIECES"));
    this.doubtful = words("DOUBTFUL", at("MAX_RECORDS"));
    this.#linkWords = new Uint32Array(memory.buffer, at("LINKS"), LINK_WORDS * at("MAX_RECORDS"));
    this.#baseAt = at("BASE");
    this.#linesAt = at("LINES");
    this.#askedAt = at("ASKED");
    this.#firstTextAt = at("FIRST_TEXT");
    this.#write(tables, at);
  }

  #write(tables: EngineTables, at: (name: string) => number): void {
    const { memory } = this;
    memory.set(tables.lengths, at("LENGTHS"));
    let used = 0;
    for (const [id, name] of tables.names.entries()) {
      memory.writeUInt16LE(used, at("NAMES_AT") + 2 * id);
      used += memory.latin1Write(name, at("NAMES") + used, name.length);
    }
    if (used > at("KIND") - at("NAMES")) throw new Error("too many names of tags");
    memory.set(tables.kind, at("KIND"));
    memory.set(tables.inline, at("INLINE"));
    memory.set(tables.treatment, at("TREATMENT"));
    memory.set(tables.inTable, at("IN_TABLE"));
    memory.set(tables.inSelect, at("IN_SELECT"));
    memory.set(tables.tablePart, at("TABLE_PART"));
    memory.set(tables.withAttributes, at("WITH_ATTRIBUTES"));
    memory.set(tables.breaks, at("BREAK"));
    memory.set(tables.lower, at("LOWER"));
    for (const [i, table] of tables.wordBytes.entries())
      memory.set(table, at("WORD_BYTE") + 256 * i);
    memory.set(tables.asked, this.#askedAt);
    for (const byte of Buffer.from(NAME)) memory[at("PATH_BYTE") + byte] = 1;
    for (const [byte, kind] of Object.entries(PATH_CLASSES))
      memory[at("PATH_BYTE") + byte.charCodeAt(0)] = kind;
    for (const byte of Buffer.from(QUERY)) memory[at("QUERY_BYTE") + byte] = 1;
    for (const byte of Buffer.from(HOST)) memory[at("HOST_BYTE") + byte] = 1;
    const { a, desc, select, tbody, title, xmp } = tables.tags;
    this.#code.enterNames(tables.names.length - 1);
    this.#code.setTags(a, desc, select, tbody, title, xmp);
    this.#code.setSeed(0, 0);
  }

  /**
   * Scans the first `length` bytes of `page` from an offset on; false when the reference has to read it. What is behind them
   * is overwritten. Throws when the code traps.
   */
  scan(from: number, length: number, charset: number): boolean {
    return this.#code.scan(from, length, charset) === 1;
  }

  /** The first words with a blank between them; undefined when one is long, or not plain ASCII. */
  firstText(): string | undefined {
    const bytes = this.found[FIRST_BYTES]!;
    const from = this.#firstTextAt;
    return bytes < 0 ? undefined : this.memory.latin1Slice(from, from + bytes);
  }

  /** A record of the page that was scanned last. */
  record(index: number): EngineRecord {
    const records = this.#records;
    const at = 8 * index;
    return {
      tag: records[at]! & 255,
      attribute: records[at]! >> 8,
      from: records[at + 1]!,
      to: records[at + 2]!,
      secondFrom: records[at + 3]!,
      secondTo: records[at + 4]!,
      thirdFrom: records[at + 5]!,
      thirdTo: records[at + 6]!,
    };
  }

  /**
   * Resolves the links of the page that was scanned last against a base, in their order, and leaves out repeats. Records
   * that are not plain go to `ask`. Undefined when there are too many. Links of the page before that are still in use
   * move out of the memory.
   */
  resolve(base: string, rules: ResolveRules, ask: AskAbout): PackedLinks | undefined {
    this.#latest?.leaveEngine();
    this.#latest = undefined;
    const { seedLow, seedHigh } = rules;
    if (seedLow !== this.#seedLow || seedHigh !== this.#seedHigh) {
      this.#code.setSeed(seedLow, seedHigh);
      this.#seedLow = seedLow;
      this.#seedHigh = seedHigh;
    }
    const origin = base.indexOf("/", 8);
    const query = base.indexOf("?", origin);
    const page = query < 0 ? base.length : query;
    const folder = base.lastIndexOf("/", page - 1) + 1;
    this.memory.latin1Write(base, this.#baseAt, base.length);
    this.#ask = ask;
    this.#fault = undefined;
    const isWhole = this.#code.resolve(
      base.length,
      origin,
      folder,
      page,
      this.#askedAt,
      rules.asksRel ? 1 : 0,
      rules.metaLengths,
    );
    this.#ask = undefined;
    if (this.#fault !== undefined) throw this.#fault;
    if (isWhole !== 1) return undefined;
    const { found } = this;
    this.#latest = new PackedLinks(this.memory, this.#linkWords, {
      links: found[LINKS]!,
      origins: found[ORIGINS]!,
      linesAt: this.#linesAt,
      linesBytes: found[LINES_BYTES]!,
      seedLow,
      seedHigh,
      table: this,
    });
    return this.#latest;
  }

  remember(keeper: object, low: number, high: number): void {
    if (keeper !== this.#keeper) this.#keepFor(keeper);
    this.#code.remember(low, high);
  }

  leaveOutKnown(keeper: object, links: number): number {
    if (keeper !== this.#keeper) this.#keepFor(keeper);
    return this.#code.leaveOutKnown(links);
  }

  #keepFor(keeper: object): void {
    this.#keeper = keeper;
    this.#code.forgetKnown();
  }

  /** Called by the code; what goes wrong here is thrown when it has returned. */
  #answer(record: number, at: number): number {
    try {
      const url = this.#ask?.(this.record(record));
      return url === undefined ? 0 : this.memory.latin1Write(url, at, url.length);
    } catch (error) {
      this.#fault ??= error;
      return 0;
    }
  }
}

/** How links are resolved. */
export interface ResolveRules {
  /** Links with a rel attribute are asked about, too. */
  readonly asksRel: boolean;
  /** A bit for the length of each name of a meta element that is wanted; bit 0 stands for one without a name. */
  readonly metaLengths: number;
  readonly seedLow: number;
  readonly seedHigh: number;
}

/** Opens the engine; undefined without its code (after `tsc` alone), without WebAssembly, or without memory for it. */
export function openPageEngine(
  tables: EngineTables,
  file: URL = new URL("./page-engine.wasm", import.meta.url),
): PageEngine | undefined {
  try {
    return new PageEngine(new WebAssembly.Module(readFileSync(file)), tables);
  } catch {
    return undefined;
  }
}
