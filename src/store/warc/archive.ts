import { giveBackMemory } from "../../runtime/collect-garbage.ts";
import { doNow, type FileWork } from "../../runtime/file-work.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Archived, Capture } from "../capture.ts";
import { safePage, safeUri } from "../files/safe-text.ts";
import type { ObeyedRobots } from "../writer.ts";
import { ArchiveFile } from "./archive-file.ts";
import { sha1, sha256 } from "./digest.ts";
import { isCompressed, requestBlock, responseHead, type Secrets, secretsOf } from "./http-block.ts";
import { KnownPayloads, type PayloadRecord } from "./known-payloads.ts";
import { MemberBuffer } from "./member-buffer.ts";
import { metadataBlock, warcinfoBlock } from "./warc-fields.ts";
import { NOT_MODIFIED, newRecordId, warcDate } from "./warc-record.ts";

/** Where and how an archive is written. */
export interface ArchiveOptions {
  /** DIR/archive, which exists. */
  folder: string;
  prefix: string;
  /** Number of the builder thread; part of every file name, so that no two threads write one file. */
  thread: number;
  /** Level for payloads that came uncompressed; 1 is the default of the crawler, 0 stores. */
  level: number;
  /** A file that has passed this size is closed before the next capture. */
  rotateBytes: number;
  /** So is one that holds this many captures; absent means any number. */
  rotatePages?: number | undefined;
  /** Payloads remembered, so that equal ones become revisit records; absent means none. */
  knownPayloads?: number;
  software: string;
  /** Requests are kept as they were sent, with their secrets. */
  keepsSecrets?: boolean | undefined;
  /** What is left out of requests; the usual secrets when absent. */
  secrets?: Secrets | undefined;
  /** Fields of the warcinfo record, such as robots or http-header-user-agent; empty ones are left out. */
  info: Record<string, string>;
  clock?: () => number;
}

const CONTENT = {
  response: "application/http;msgtype=response",
  request: "application/http;msgtype=request",
  fields: "application/warc-fields",
  robots: "text/plain",
};
const PROFILE = {
  identical: "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
  notModified: NOT_MODIFIED,
};
const CONFORMS_TO =
  "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";
const DIGEST = /^sha(?:1|256):[A-Za-z0-9]+$/;
const IP_ADDRESS = /^[0-9a-fA-F:.]{2,45}$/;
// Starting a deflate costs 15-20 us: worth it for a page, for a list of links only when it is long.
const DEFLATE_RESPONSE_FROM_BYTES = 1024;
const DEFLATE_COMPANION_FROM_BYTES = 4096;
/** Compressing a body like this leaves enough garbage to be worth collecting. */
const LARGE_BODY_BYTES = 4 * 1024 * 1024;
/** Captures are written together; when they are this long it is time. */
const FLUSH_BYTES = 512 * 1024;

/**
 * Writes captures as WARC 1.1, one gzip member per record: response (or revisit), request, metadata. A capture is never
 * split between two files or two writes. It is in the file after `flush` and survives a power loss after `sync`; until
 * then its location is where it will be.
 */
export class Archive {
  readonly #options: ArchiveOptions;
  readonly #secrets: Secrets | undefined;
  readonly #clock: () => number;
  /** Payloads archived lately. */
  readonly known: KnownPayloads;
  /** What is not written yet. */
  readonly #members = new MemberBuffer();
  #file: ArchiveFile | undefined;
  #captures = 0;
  #warcinfoId = "";
  #serial = 0;
  #dirty = false;

  constructor(options: ArchiveOptions) {
    this.#options = options;
    this.#secrets = options.keepsSecrets === true ? undefined : (options.secrets ?? secretsOf());
    this.#clock = options.clock ?? Date.now;
    this.known = new KnownPayloads(options.knownPayloads ?? 0);
  }

  /** Whether so much waits that it should be flushed, or the file has reached its size. */
  get isDue(): boolean {
    return this.#members.length >= FLUSH_BYTES || this.#isFull();
  }

  /** The file to which members may be added as they are; undefined when one has to be begun, or something written first. */
  get openName(): string | undefined {
    const file = this.#file;
    return file === undefined || this.isDue || this.end === 0 ? undefined : file.name;
  }

  /** Where the next member begins. */
  get end(): number {
    return this.#file!.size + this.#members.length;
  }

  /** Id of the open file's first record. */
  get warcinfoId(): string {
    return this.#warcinfoId;
  }

  /** With so many more bytes, or captures, it is due. */
  get room(): { readonly bytes: number; readonly captures: number } {
    const { rotateBytes, rotatePages = Number.POSITIVE_INFINITY } = this.#options;
    return {
      bytes: Math.min(FLUSH_BYTES - this.#members.length, rotateBytes - this.end),
      captures: rotatePages - this.#captures,
    };
  }

  /** Adds the members of so many captures to the open file. */
  put(members: Uint8Array, captures: number): void {
    this.#members.put(members);
    this.#captures += captures;
  }

  /** A record as a compressed member, valid until the next call. */
  compress(record: Uint8Array): Uint8Array {
    return this.#members.compress(record, this.#options.level);
  }

  get level(): number {
    return this.#options.level;
  }

  /** Metadata records are compressed by this at the fastest level, where it makes them smaller. */
  deflateBy(deflate: (record: Uint8Array) => Uint8Array | undefined): void {
    if (this.level === 1) this.#members.deflateBy(deflate);
  }

  /** Whether a request is archived as it was sent. */
  isPlainRequest(request: Buffer): boolean {
    return this.#secrets === undefined || requestBlock(request, this.#secrets) === request;
  }

  /**
   * Takes one capture; after a DiskFullError the same capture may be appended again. Writes nothing, unless it was due
   * before and nobody has flushed it.
   */
  append(capture: Capture): Archived {
    return this.#whole((file) => this.#add(file, capture));
  }

  /** Takes a robots.txt: a record of what was read of it, and so of what is obeyed. It is no capture, and no index names it. */
  appendRobots({ url, address, date, body }: ObeyedRobots): void {
    this.#whole((file) => {
      if (file.size + this.#members.length === 0) this.#addWarcinfo(file.name);
      const shared = this.#sharedFields({ url: url as CrawlUrl, ip: address, date });
      const level = body.length < DEFLATE_COMPANION_FROM_BYTES ? 0 : this.#options.level;
      this.#members.add(
        `WARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:${newRecordId()}>\r\n${shared}WARC-Payload-Digest: ${sha1(body)}\r\nContent-Type: ${CONTENT.robots}\r\n`,
        [body],
        level,
      );
    });
  }

  /** Adds all records or none; what is due and was not flushed is flushed before. */
  #whole<T>(add: (file: ArchiveFile) => T): T {
    if (this.isDue) this.flush();
    this.#file ??= this.#openFile();
    const start = this.#members.length;
    try {
      return add(this.#file);
    } catch (fault) {
      this.#members.cut(start);
      throw fault;
    }
  }

  /** Hands all captures to the operating system, all or none; after a DiskFullError they stay for the next try. */
  flush(): void {
    doNow(this.flushing());
  }

  /** The same as work; nothing may be appended until it is done. A file that has reached its size is closed. */
  *flushing(): FileWork {
    yield* this.#writing();
    if (this.#isFull()) yield* this.closing();
  }

  *#writing(): FileWork {
    if (this.#members.length === 0) return;
    yield* this.#file!.writing(this.#members.bytes);
    this.#dirty = true;
    this.#members.clear();
  }

  /** Returns when all captures so far survive a power loss. */
  sync(): void {
    doNow(this.syncing());
  }

  *syncing(): FileWork {
    yield* this.flushing();
    if (!this.#dirty) return;
    if (this.#file !== undefined) yield* this.#file.syncing();
    this.#dirty = false;
  }

  /** Closes the open file under its final name; a later capture opens the next one. */
  close(): void {
    doNow(this.closing());
  }

  *closing(): FileWork {
    yield* this.#writing();
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) yield* file.closing();
  }

  #isFull(): boolean {
    if (this.#file === undefined) return false;
    const { rotateBytes, rotatePages = Number.POSITIVE_INFINITY } = this.#options;
    return this.#captures >= rotatePages || this.#file.size + this.#members.length >= rotateBytes;
  }

  #openFile(): ArchiveFile {
    this.#warcinfoId = newRecordId();
    this.#captures = 0;
    return new ArchiveFile(this.#options, this.#serial++, this.#clock());
  }

  #add(file: ArchiveFile, capture: Capture): Archived {
    const members = this.#members;
    if (file.size + members.length === 0) this.#addWarcinfo(file.name);
    const { unchanged, body, truncated } = capture;
    const payloadDigest = unchanged?.payloadDigest ?? sha1(body);
    const payloadSha256 = unchanged?.payloadSha256 ?? sha256(body);
    const recordId = newRecordId();
    const shared = this.#sharedFields(capture);
    const offset = file.size + members.length;
    // The rest of a truncated body is unknown, so it equals no other; an empty one takes no space.
    const comparable = body.length > 0 && truncated === undefined;
    const known = comparable ? this.known.find(payloadDigest, payloadSha256) : undefined;
    const same = unchanged ?? known;
    const length =
      same === undefined
        ? this.#addResponse(capture, recordId, shared, payloadDigest)
        : this.#addRevisit(capture, recordId, shared, payloadDigest, same);
    const fields = `${shared}WARC-Concurrent-To: <urn:uuid:${recordId}>\r\n`;
    this.#addCompanion("request", fields, CONTENT.request, [
      this.#secrets === undefined ? capture.request : requestBlock(capture.request, this.#secrets),
    ]);
    this.#addCompanion("metadata", fields, CONTENT.fields, metadataBlock(capture, payloadSha256));
    if (comparable) {
      const payload = { recordId, uri: safePage(capture.url), date: warcDate(capture.date) };
      this.known.add(payloadDigest, payloadSha256, payload);
    }
    this.#captures++;
    if (body.length >= LARGE_BODY_BYTES) giveBackMemory();
    const location = { file: file.name, offset, length };
    return { location, payloadDigest, payloadSha256, recordId, isRevisit: same !== undefined };
  }

  #addWarcinfo(fileName: string): void {
    const { software, info } = this.#options;
    const format = { software, format: "WARC File Format 1.1", conformsTo: CONFORMS_TO };
    this.#members.add(
      `WARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:${this.#warcinfoId}>\r\nWARC-Date: ${warcDate(this.#clock())}\r\nWARC-Filename: ${fileName}\r\nContent-Type: ${CONTENT.fields}\r\n`,
      [warcinfoBlock({ ...format, ...info })],
      0,
    );
  }

  #addResponse(capture: Capture, id: string, shared: string, payloadDigest: string): number {
    const { body, truncated } = capture;
    const head = responseHead(capture.head, capture.dechunked);
    const cut = truncated === undefined ? "" : `WARC-Truncated: ${truncated}\r\n`;
    const small = head.length + body.length < DEFLATE_RESPONSE_FROM_BYTES;
    const level = small || isCompressed(capture.head, capture.mime) ? 0 : this.#options.level;
    return this.#members.add(
      `WARC-Type: response\r\nWARC-Record-ID: <urn:uuid:${id}>\r\n${shared}WARC-Payload-Digest: ${payloadDigest}\r\n${cut}Content-Type: ${CONTENT.response}\r\n`,
      [head, body],
      level,
    );
  }

  /**
   * The same bytes are in this archive already: only the head is stored, with the name of the record that has the body.
   * Or they are in that of an earlier crawl, and the server answered 304: then not even the head is stored, because replay
   * would show the answer 304, without a page, in place of the earlier one (WARC 1.1, 6.7).
   */
  #addRevisit(
    capture: Capture,
    id: string,
    shared: string,
    digest: string,
    same: PayloadRecord,
  ): number {
    const isSent = capture.unchanged === undefined;
    const profile = isSent ? PROFILE.identical : PROFILE.notModified;
    const type = isSent ? `Content-Type: ${CONTENT.response}\r\n` : "";
    const payload = DIGEST.test(digest) ? `WARC-Payload-Digest: ${digest}\r\n` : "";
    return this.#members.add(
      `WARC-Type: revisit\r\nWARC-Record-ID: <urn:uuid:${id}>\r\n${shared}${payload}WARC-Profile: ${profile}\r\nWARC-Refers-To: <urn:uuid:${same.recordId}>\r\nWARC-Refers-To-Target-URI: ${safeUri(same.uri)}\r\nWARC-Refers-To-Date: ${safeUri(same.date)}\r\n${type}`,
      isSent ? [responseHead(capture.head, capture.dechunked)] : [],
      0,
    );
  }

  /** The header lines that the three records of a capture have in common. */
  #sharedFields(capture: Pick<Capture, "url" | "ip" | "date">): string {
    const ip = IP_ADDRESS.test(capture.ip) ? `WARC-IP-Address: ${capture.ip}\r\n` : "";
    return `WARC-Date: ${warcDate(capture.date)}\r\nWARC-Target-URI: ${safePage(capture.url)}\r\n${ip}WARC-Warcinfo-ID: <urn:uuid:${this.#warcinfoId}>\r\n`;
  }

  #addCompanion(
    type: string,
    fields: string,
    contentType: string,
    block: readonly (Uint8Array | string)[],
  ): void {
    let bytes = 0;
    for (const part of block) bytes += part.length;
    this.#members.add(
      `WARC-Type: ${type}\r\nWARC-Record-ID: <urn:uuid:${newRecordId()}>\r\n${fields}Content-Type: ${contentType}\r\n`,
      block,
      bytes < DEFLATE_COMPANION_FROM_BYTES ? 0 : this.#options.level,
      type === "metadata",
    );
  }
}
