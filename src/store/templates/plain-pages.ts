import { hash, randomFillSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { PageLocation } from "../../frontier/finish.ts";
import { copyShared } from "../../runtime/copy-shared.ts";
import type { LatinBuffer } from "../../runtime/latin-buffer.ts";
import { surtKey } from "../../url/surt.ts";
import { isPlainJson, type JsonlFile } from "../files/jsonl.ts";
import type { LinkLog } from "../graph/link-log.ts";
import { RECENT_WORDS } from "../graph/recent-ids.ts";
import { indexKey } from "../lists/cdxj.ts";
import type { Archive } from "../warc/archive.ts";

/** The part of the platform's WebAssembly that is used here. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: object };
  Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
};

/** Where plain pages are put. */
export interface PlainFiles {
  readonly archive: Archive;
  readonly index: JsonlFile;
  readonly pages: JsonlFile;
  readonly log: JsonlFile;
  readonly graph: LinkLog;
}

/** What the code exports; addresses are constants. */
interface TemplateCode {
  open(seedLow: number, seedHigh: number, level: number): void;
  setFile(nameBytes: number): void;
  begin(bodyBytes: number): number;
  end(random: number, at: number): number;
  compressed(bytes: number): void;
  endRecords(random: number): number;
  endLists(random: number): number;
  deflateMember(bytes: number): number;
  restart(): void;
}

type Place = { readonly value: number };

const MEMORY_PAGES = 192;
const WASM_PAGE_BYTES = 1 << 16;
/** Bytes of a SHA-1, and characters of a SHA-256. */
const SHA1_BYTES = 20;
const SHA256_CHARS = 64;
/** Lines and edges that may wait, as many as in their files. */
const MAX_LINES = 64 * 1024;
const MAX_EDGES = 256 * 1024;

// Results of the code, in words.
/** Where payload and blocks of response, request and metadata are, and how long: what digests are made of. */
const PIECES = 0;
const PIECES_END = 8;
const SHA256_AT = 8;
const RECORD_AT = 9;
const RECORD_BYTES = 10;
const MEMBER_AT = 11;
const KNOWN_BYTES = 12;
/** Bytes that wait for each file when the last page was whole: members, index, pages, log, names, edges. */
const WAITING = 13;
const CELLS = WAITING + 6;

/**
 * Stores pages in which nothing is unusual without making strings, objects or expressions of them: records and lines are written
 * by templates in WebAssembly (`assembly/`), straight from the frame that came from the crawler. They wait in its memory
 * until the files `take` them. On any doubt it answers undefined and has changed nothing; the writers store the page then.
 */
export class PlainPages {
  readonly #files: PlainFiles;
  readonly #code: TemplateCode;
  readonly #memory: LatinBuffer;
  readonly #bytes: ArrayBuffer;
  readonly #cells: Int32Array;
  readonly #at: (name: string) => number;
  /** Addresses. */
  readonly #facts: number;
  readonly #random: number;
  readonly #randomBytes: number;
  readonly #randomEnd: number;
  readonly #digests: number;
  readonly #digestSlot: number;
  readonly #known: number;
  readonly #regions: readonly number[];
  readonly #maxFacts: number;
  readonly #maxBody: number;
  /** Whether so much waits that it should be taken and flushed. */
  isDue = false;
  /** The archive's file, and what of it nobody changes while pages wait here: its end, and what it has room for. */
  #name = "";
  #end = 0;
  #room: Archive["room"] = { bytes: 0, captures: 0 };
  /** The random bytes of the next page. */
  #drawn: number;
  #captures = 0;

  constructor(module: object, files: PlainFiles) {
    const memory = new WebAssembly.Memory({ initial: MEMORY_PAGES, maximum: MEMORY_PAGES });
    const bytes = Buffer.from(memory.buffer) as LatinBuffer;
    const imports = {
      env: { memory },
      crc32: {
        crcOf: (at: number, length: number) => crc32(new Uint8Array(memory.buffer, at, length)),
      },
      "http-blocks": {
        isPlainRequest: (at: number, length: number) =>
          files.archive.isPlainRequest(bytes.subarray(at, at + length)) ? 1 : 0,
      },
      lists: {
        keyOfUrl: (at: number, length: number) => this.#answer(indexKey(this.#text(at, length))),
        keyOfHost: (at: number, length: number) =>
          this.#answer(surtKey(`${this.#text(at, length)}/`).slice(0, -1)),
      },
    };
    const instance = new WebAssembly.Instance(module, imports);
    const exported = instance.exports as Record<string, Place>;
    const at = (name: string) => exported[name]!.value;
    if (at("MEMORY_BYTES") > MEMORY_PAGES * WASM_PAGE_BYTES) throw new Error("too little memory");
    this.#files = files;
    this.#code = instance.exports as TemplateCode;
    this.#memory = bytes;
    this.#bytes = memory.buffer;
    this.#cells = new Int32Array(memory.buffer, at("CELLS"), CELLS);
    this.#at = at;
    this.#facts = at("FACTS");
    this.#maxFacts = at("MAX_FACTS");
    this.#maxBody = at("MAX_BODY");
    this.#random = at("RANDOM");
    this.#randomBytes = at("RANDOM_BYTES");
    this.#randomEnd = this.#random + this.#randomBytes * at("RANDOM_PAGES");
    this.#drawn = this.#randomEnd;
    this.#digests = at("DIGESTS");
    this.#digestSlot = at("DIGEST_SLOT");
    this.#known = at("KNOWN");
    this.#regions = ["MEMBERS", "INDEX", "PAGES", "LOG", "NAMES", "EDGES"].map(at);
    const { seedLow, seedHigh } = files.graph.rules;
    this.#code.open(seedLow, seedHigh, files.archive.level);
    files.archive.deflateBy((record) => this.deflateLinks(record));
    files.graph.shareNamed(new Uint32Array(memory.buffer, at("NAMED"), RECENT_WORDS));
  }

  /** Takes a page from the parts of its frame; answers where its record is, undefined when it is none for templates. */
  append(facts: Buffer, body: Buffer): PageLocation | undefined {
    if (this.#captures === 0 && !this.#begin()) return undefined;
    if (body.length === 0 || body.length > this.#maxBody || facts.length > this.#maxFacts)
      return undefined;
    const { known } = this.#files.archive;
    const memory = this.#memory;
    const code = this.#code;
    const cells = this.#cells;
    copyShared(facts, memory, this.#facts);
    if (code.begin(body.length) !== 1) return undefined;
    copyShared(body, memory, cells[PIECES]!);
    let key = 0;
    let digestAt = this.#digests;
    for (let piece = PIECES; piece < PIECES_END; piece += 2) {
      // A view of the plainest kind: `subarray` makes a buffer and checks what is known.
      const bytes = new Uint8Array(this.#bytes, cells[piece], cells[piece + 1]);
      // As a string, which costs half of a buffer.
      const digest = hash("sha1", bytes, "binary");
      memory.latin1Write(digest, digestAt, SHA1_BYTES);
      digestAt += this.#digestSlot;
      if (piece > PIECES) continue;
      key = known.newKey(digest);
      // Stored before, it seems: the writers make a record that names the earlier one.
      if (key < 0) return undefined;
      // Part of the metadata.
      memory.latin1Write(hash("sha256", bytes, "hex"), cells[SHA256_AT]!, SHA256_CHARS);
    }

    if (this.#drawn === this.#randomEnd) this.#draw();
    const random = this.#drawn;
    this.#drawn += this.#randomBytes;
    const offset = this.#end + cells[WAITING]!;
    if (code.end(random, this.#end) === 1) this.#compress();
    if (code.endRecords(random) === 1) this.#compress();
    const length = code.endLists(random);
    known.addBytes(key, new Uint8Array(this.#bytes, this.#known, cells[KNOWN_BYTES]));
    this.#captures++;
    this.isDue =
      cells[WAITING]! >= this.#room.bytes ||
      this.#captures >= this.#room.captures ||
      cells[WAITING + 1]! >= MAX_LINES ||
      cells[WAITING + 2]! >= MAX_LINES ||
      cells[WAITING + 3]! >= MAX_LINES ||
      cells[WAITING + 4]! >= MAX_LINES ||
      cells[WAITING + 5]! >= MAX_EDGES;
    return { file: this.#name, offset, length };
  }

  /** Gives what waits to the files, which write it with the next flush. */
  take(): void {
    if (this.#captures === 0) return;
    const { archive, index, pages, log, graph } = this.#files;
    archive.put(this.#region(0), this.#captures);
    index.holdLines(this.#region(1));
    pages.holdLines(this.#region(2));
    log.holdLines(this.#region(3));
    graph.hold(this.#region(5), this.#region(4));
    this.#captures = 0;
    this.isDue = false;
    this.#code.restart();
  }

  /** A record that is a list of links as a compressed member, valid until the next call; undefined where that does not help. */
  deflateLinks(record: Uint8Array): Uint8Array | undefined {
    const at = this.#at("METADATA");
    if (record.length > this.#at("MAX_METADATA")) return undefined;
    this.#memory.set(record, at);
    const length = this.#code.deflateMember(record.length);
    const from = this.#cells[MEMBER_AT]!;
    return length === 0 ? undefined : this.#memory.subarray(from, from + length);
  }

  #region(index: number): Buffer {
    const from = this.#regions[index]!;
    return this.#memory.subarray(from, from + this.#cells[WAITING + index]!);
  }

  /** Before the first page that waits; false when the archive has to begin a file first, or to write something. */
  #begin(): boolean {
    const { archive } = this.#files;
    const name = archive.openName;
    if (name === undefined) return false;
    if (name !== this.#name) {
      if (!isPlainJson(name) || name.length > this.#at("MAX_FILE_NAME") - 16) return false;
      this.#memory.latin1Write(name, this.#at("FILE_NAME"), name.length);
      const { warcinfoId } = archive;
      this.#memory.latin1Write(warcinfoId, this.#at("WARCINFO_ID"), warcinfoId.length);
      this.#code.setFile(name.length);
      this.#name = name;
    }
    this.#end = archive.end;
    this.#room = archive.room;
    return true;
  }

  /** Random bytes for the ids of the next pages. */
  #draw(): void {
    randomFillSync(this.#memory, this.#random, this.#randomEnd - this.#random);
    this.#drawn = this.#random;
  }

  #compress(): void {
    const from = this.#cells[RECORD_AT]!;
    const record = new Uint8Array(this.#bytes, from, this.#cells[RECORD_BYTES]);
    const member = this.#files.archive.compress(record);
    this.#memory.set(member, this.#cells[MEMBER_AT]!);
    this.#code.compressed(member.length);
  }

  #text(at: number, length: number): string {
    return this.#memory.latin1Slice(at, at + length);
  }

  #answer(text: string): number {
    return this.#memory.latin1Write(text, this.#at("ANSWER"), text.length);
  }
}

/** Opens the templates; undefined without their code (after `tsc` alone), without WebAssembly, or for an older graph. */
export function openPlainPages(
  files: PlainFiles,
  file: URL = new URL("./page-templates.wasm", import.meta.url),
): PlainPages | undefined {
  if (files.graph.rules.version !== 2) return undefined;
  try {
    return new PlainPages(new WebAssembly.Module(readFileSync(file)), files);
  } catch {
    return undefined;
  }
}
