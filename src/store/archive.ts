import { ArchiveFile } from "./archive-file.ts";
import type { Archived, Capture } from "./capture.ts";
import { sha1, sha256 } from "./digest.ts";
import { gzipMember, storedMember } from "./gzip-member.ts";
import { isCompressed, requestBlock, responseHead } from "./http-block.ts";
import { safeUri } from "./safe-text.ts";
import { metadataBlock, warcinfoBlock } from "./warc-fields.ts";
import { newRecordId, warcDate, warcRecord } from "./warc-record.ts";

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
  #file: ArchiveFile | undefined;
  #warcinfoId = "";
  #serial = 0;

  constructor(options: ArchiveOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
  }

  /** Appends one capture; throws DiskFullError, after which the same capture may be tried again. */
  append(capture: Capture): Archived {
    if (this.#file !== undefined && this.#file.size >= this.#options.rotateBytes) this.close();
    this.#file ??= this.#openFile();
    const file = this.#file;
    const opening = file.size === 0 ? this.#warcinfo(file.name) : undefined;

    const { body } = capture;
    const payloadDigest = sha1(body);
    const payloadSha256 = sha256(body);
    const recordId = newRecordId();
    const shared = this.#sharedFields(capture);
    const truncated =
      capture.truncated === undefined ? "" : `WARC-Truncated: ${capture.truncated}\r\n`;
    const head = responseHead(capture.head, capture.dechunked);
    const response = warcRecord(
      `WARC-Type: response\r\nWARC-Record-ID: <urn:uuid:${recordId}>\r\n${shared}WARC-Payload-Digest: ${payloadDigest}\r\nWARC-Block-Digest: ${sha1(head, body)}\r\n${truncated}Content-Type: application/http;msgtype=response\r\n`,
      head,
      body,
    );
    const member = isCompressed(capture.head, capture.mime)
      ? storedMember(response)
      : gzipMember(response, this.#options.level);

    const concurrent = `WARC-Concurrent-To: <urn:uuid:${recordId}>\r\n`;
    const request = this.#companion(
      "request",
      shared + concurrent,
      "application/http;msgtype=request",
      requestBlock(capture.request),
    );
    const metadata = this.#companion(
      "metadata",
      shared + concurrent,
      "application/warc-fields",
      metadataBlock(capture, payloadSha256),
    );

    const members = opening ? [opening, member, request, metadata] : [member, request, metadata];
    const offset = file.size + (opening?.length ?? 0);
    file.write(Buffer.concat(members));
    const location = { file: file.name, offset, length: member.length };
    return { location, payloadDigest, payloadSha256, recordId };
  }

  /** Returns when all captures so far survive a power loss. */
  sync(): void {
    this.#file?.sync();
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

  #warcinfo(fileName: string): Buffer {
    const { software, info } = this.#options;
    const format = { software, format: "WARC File Format 1.1", conformsTo: CONFORMS_TO };
    const block = warcinfoBlock({ ...format, ...info });
    return gzipMember(
      warcRecord(
        `WARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:${this.#warcinfoId}>\r\nWARC-Date: ${warcDate(this.#clock())}\r\nWARC-Filename: ${fileName}\r\nWARC-Block-Digest: ${sha1(block)}\r\nContent-Type: application/warc-fields\r\n`,
        block,
      ),
      this.#options.level,
    );
  }

  /** The header lines that the three records of a capture have in common. */
  #sharedFields(capture: Capture): string {
    const ip = IP_ADDRESS.test(capture.ip) ? `WARC-IP-Address: ${capture.ip}\r\n` : "";
    return `WARC-Date: ${warcDate(capture.date)}\r\nWARC-Target-URI: ${safeUri(capture.url)}\r\n${ip}WARC-Warcinfo-ID: <urn:uuid:${this.#warcinfoId}>\r\n`;
  }

  #companion(type: string, fields: string, contentType: string, block: Uint8Array): Buffer {
    const record = warcRecord(
      `WARC-Type: ${type}\r\nWARC-Record-ID: <urn:uuid:${newRecordId()}>\r\n${fields}WARC-Block-Digest: ${sha1(block)}\r\nContent-Type: ${contentType}\r\n`,
      block,
    );
    return gzipMember(record, this.#options.level);
  }
}
