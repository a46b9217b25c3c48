import { giveBackMemory } from "../sync/give-back-memory.ts";
import { ArchiveFile } from "./archive-file.ts";
import type { Archived, Capture } from "./capture.ts";
import { sha1, sha256 } from "./digest.ts";
import { isCompressed, requestBlock, responseHead } from "./http-block.ts";
import { MemberBuffer } from "./member-buffer.ts";
import { safeUri } from "./safe-text.ts";
import { metadataBlock, warcinfoBlock } from "./warc-fields.ts";
import { newRecordId, warcDate } from "./warc-record.ts";

/** Where and how an archive is written. */
export interface ArchiveOptions {
  /** DIR/archive, which exists. */
  folder: string;
  prefix: string;
  /** Number of the builder thread; part of every file name, so threads never meet in a file. */
  thread: number;
  /** Level for payloads that came uncompressed; 1 is the default of the crawler, 0 stores. */
  level: number;
  /** A file that has passed this size is closed before the next capture. */
  rotateBytes: number;
  software: string;
  /** Fields of the warcinfo record, such as robots or http-header-user-agent. */
  info: Record<string, string>;
  clock?: () => number;
}

const HTTP_RESPONSE = "application/http;msgtype=response";
const HTTP_REQUEST = "application/http;msgtype=request";
const FIELDS = "application/warc-fields";
// Starting a deflate costs 15-20 us: worth it for a page, for a list of links only when it is long.
const DEFLATE_RESPONSE_FROM_BYTES = 1024;
const DEFLATE_COMPANION_FROM_BYTES = 4096;
/** Compressing a body like this leaves enough garbage to be worth collecting. */
const LARGE_BODY_BYTES = 4 * 1024 * 1024;
const IP_ADDRESS = /^[0-9a-fA-F:.]{2,45}$/;
const CONFORMS_TO =
  "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

/**
 * Writes captures as WARC 1.1, one gzip member per record, each capture with one write into one
 * file: response, request, metadata. A capture that could not be written leaves no trace.
 */
export class Archive {
  readonly #options: ArchiveOptions;
  readonly #clock: () => number;
  readonly #members = new MemberBuffer();
  #file: ArchiveFile | undefined;
  #warcinfoId = "";
  #serial = 0;
  #dirty = false;

  constructor(options: ArchiveOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
  }

  /** Appends one capture; throws DiskFullError, after which the same capture may be tried again. */
  append(capture: Capture): Archived {
    if (this.#file !== undefined && this.#file.size >= this.#options.rotateBytes) this.close();
    this.#file ??= this.#openFile();
    const file = this.#file;
    const members = this.#members;
    members.clear();
    if (file.size === 0) this.#addWarcinfo(file.name);
    const payloadDigest = sha1(capture.body);
    const payloadSha256 = sha256(capture.body);
    const recordId = newRecordId();
    const shared = this.#sharedFields(capture);
    const offset = file.size + members.length;
    const length = this.#addResponse(capture, recordId, shared, payloadDigest);
    const fields = `${shared}WARC-Concurrent-To: <urn:uuid:${recordId}>\r\n`;
    this.#addCompanion("request", fields, HTTP_REQUEST, requestBlock(capture.request));
    this.#addCompanion("metadata", fields, FIELDS, metadataBlock(capture, payloadSha256));
    file.write(members.bytes);
    this.#dirty = true;
    if (capture.body.length >= LARGE_BODY_BYTES) giveBackMemory();
    return {
      location: { file: file.name, offset, length },
      payloadDigest,
      payloadSha256,
      recordId,
    };
  }

  /** Returns when all captures so far survive a power loss. */
  sync(): void {
    if (!this.#dirty) return;
    this.#file?.sync();
    this.#dirty = false;
  }

  /** Closes the open file under its final name; a later capture opens the next one. */
  close(): void {
    const file = this.#file;
    this.#file = undefined;
    file?.close();
  }

  #openFile(): ArchiveFile {
    this.#warcinfoId = newRecordId();
    return new ArchiveFile(this.#options, this.#serial++, this.#clock());
  }

  #addWarcinfo(fileName: string): void {
    const { software, info } = this.#options;
    const format = { software, format: "WARC File Format 1.1", conformsTo: CONFORMS_TO };
    const block = warcinfoBlock({ ...format, ...info });
    this.#members.add(
      `WARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:${this.#warcinfoId}>\r\nWARC-Date: ${warcDate(this.#clock())}\r\nWARC-Filename: ${fileName}\r\nWARC-Block-Digest: ${sha1(block)}\r\nContent-Type: ${FIELDS}\r\n`,
      [block],
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
      `WARC-Type: response\r\nWARC-Record-ID: <urn:uuid:${id}>\r\n${shared}WARC-Payload-Digest: ${payloadDigest}\r\nWARC-Block-Digest: ${sha1(head, body)}\r\n${cut}Content-Type: ${HTTP_RESPONSE}\r\n`,
      [head, body],
      level,
    );
  }

  /** The header lines that the three records of a capture have in common. */
  #sharedFields(capture: Capture): string {
    const ip = IP_ADDRESS.test(capture.ip) ? `WARC-IP-Address: ${capture.ip}\r\n` : "";
    return `WARC-Date: ${warcDate(capture.date)}\r\nWARC-Target-URI: ${safeUri(capture.url)}\r\n${ip}WARC-Warcinfo-ID: <urn:uuid:${this.#warcinfoId}>\r\n`;
  }

  #addCompanion(type: string, fields: string, contentType: string, block: Uint8Array): void {
    this.#members.add(
      `WARC-Type: ${type}\r\nWARC-Record-ID: <urn:uuid:${newRecordId()}>\r\n${fields}WARC-Block-Digest: ${sha1(block)}\r\nContent-Type: ${contentType}\r\n`,
      [block],
      block.length < DEFLATE_COMPANION_FROM_BYTES ? 0 : this.#options.level,
    );
  }
}
