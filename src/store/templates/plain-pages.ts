import { randomFillSync } from "node:crypto";
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
import { sha1, sha256 } from "../warc/digest.ts";

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
const SHA256_NAME = "sha256:".length;
/** Lines and edges that may wait, as many as in their files. */
const MAX_LINES = 64 * 1024;
const MAX_EDGES = 256 * 1024;

// Results of the code, in words.
const BODY_AT = 0;
const BLOCK_AT = 1;
const BLOCK_BYTES = 2;
const REQUEST_AT = 3;
const REQUEST_BYTES = 4;
const METADATA_AT = 5;
const METADATA_BYTES = 6;
const SHA256_AT = 7;
const RECORD_AT = 8;
const RECORD_BYTES = 9;
const MEMBER_AT = 10;
const KNOWN_BYTES = 11;
/** Bytes that wait for each file: members, index, pages, log, names, edges. */
const WAITING = 12;
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
  #name: string | undefined;
  /** The random bytes of the next page. */
  #drawn: number;
  /** What waits, as told when the last page was whole. */
  readonly #waiting = new Int32Array(CELLS - WAITING);
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

  /** Whether so much waits that it should be taken and flushed. */
  get isDue(): boolean {
    const waiting = this.#waiting;
    return (
      waiting[1]! >= MAX_LINES ||
      waiting[2]! >= MAX_LINES ||
      waiting[3]! >= MAX_LINES ||
      waiting[4]! >= MAX_LINES ||
      waiting[5]! >= MAX_EDGES ||
      (this.#captures > 0 && this.#files.archive.isDueWith(waiting[0]!, this.#captures))
    );
  }

  /** Takes a page from the parts of its frame; answers where its record is, undefined when it is none for templates. */
  append(facts: Buffer, body: Buffer): PageLocation | undefined {
    const { archive } = this.#files;
    const name = archive.openName;
    if (name === undefined || body.length === 0) return undefined;
    if (facts.length > this.#maxFacts || body.length > this.#maxBody) return undefined;
    if (name !== this.#name && !this.#begin(name)) return undefined;
    const memory = this.#memory;
    const code = this.#code;
    const cells = this.#cells;
    copyShared(facts, memory, this.#facts);
    if (code.begin(body.length) !== 1) return undefined;

    const digest = sha1(body);
    const digest256 = sha256(body);
    // Stored before: the writers make a record that names the earlier one.
    if (archive.known.find(digest, digest256) !== undefined) return undefined;
    const blockAt = cells[BLOCK_AT]!;
    const requestAt = cells[REQUEST_AT]!;
    const metadataAt = cells[METADATA_AT]!;
    copyShared(body, memory, cells[BODY_AT]!);
    memory.latin1Write(digest256.slice(SHA256_NAME), cells[SHA256_AT]!, 64);
    this.#putDigest(0, digest);
    this.#putDigest(1, sha1(this.#view(blockAt, cells[BLOCK_BYTES]!)));
    this.#putDigest(2, sha1(this.#view(requestAt, cells[REQUEST_BYTES]!)));
    this.#putDigest(3, sha1(this.#view(metadataAt, cells[METADATA_BYTES]!)));

    const random = this.#draw();
    const offset = archive.end + this.#waiting[0]!;
    if (code.end(random, archive.end) === 1) this.#compress();
    if (code.endRecords(random) === 1) this.#compress();
    const length = code.endLists(random);
    archive.known.addBytes(digest, this.#view(this.#known, cells[KNOWN_BYTES]!));
    for (let i = 0; i < this.#waiting.length; i++) this.#waiting[i] = cells[WAITING + i]!;
    this.#captures++;
    return { file: name, offset, length };
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
    this.#waiting.fill(0);
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
    return this.#memory.subarray(from, from + this.#waiting[index]!);
  }

  /** Another archive file was begun, and nothing waits. */
  #begin(name: string): boolean {
    if (!isPlainJson(name) || name.length > this.#at("MAX_FILE_NAME") - 16) return false;
    this.#memory.latin1Write(name, this.#at("FILE_NAME"), name.length);
    const { warcinfoId } = this.#files.archive;
    this.#memory.latin1Write(warcinfoId, this.#at("WARCINFO_ID"), warcinfoId.length);
    this.#code.setFile(name.length);
    this.#name = name;
    return true;
  }

  #putDigest(index: number, digest: string): void {
    const at = this.#digests + this.#digestSlot * index;
    this.#memory.latin1Write(digest, at, digest.length);
  }

  /** Where random bytes for the ids of one page are. */
  #draw(): number {
    if (this.#drawn === this.#randomEnd) {
      randomFillSync(this.#memory, this.#random, this.#randomEnd - this.#random);
      this.#drawn = this.#random;
    }
    const drawn = this.#drawn;
    this.#drawn += this.#randomBytes;
    return drawn;
  }

  #compress(): void {
    const from = this.#cells[RECORD_AT]!;
    const member = this.#files.archive.compress(this.#view(from, this.#cells[RECORD_BYTES]!));
    this.#memory.set(member, this.#cells[MEMBER_AT]!);
    this.#code.compressed(member.length);
  }

  /** A view of the plainest kind: `subarray` makes a buffer and checks what is known. */
  #view(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, at, length);
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
