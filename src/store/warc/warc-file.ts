import { UsageError } from "../../errors.ts";
import { AppendFile } from "../files/append-file.ts";
import { safeText, safeUri } from "../files/safe-text.ts";
import { MemberBuffer } from "./member-buffer.ts";
import { newRecordId, warcDate } from "./warc-record.ts";

/** A record to be written. */
export interface NewRecord {
  /** "response", "request", "resource", "metadata", … */
  readonly type: string;
  /** WARC-Target-URI. */
  readonly uri?: string | undefined;
  /** Of the block; for an HTTP message "application/http; msgtype=response". */
  readonly contentType?: string | undefined;
  readonly block: Uint8Array;
  /** When it was captured; now if absent. */
  readonly date?: Date | undefined;
  /** More fields, as they stand in the record. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** Settings of a file. */
export interface WarcFileOptions {
  /** 0 stores records, 1 to 9 compress them. */
  readonly level?: number;
  /** What the warcinfo record names. */
  readonly software?: string;
}

const TYPE = /^[a-z]{1,32}$/;
const NAME = /^[A-Za-z0-9-]{1,64}$/;
const INFO_TYPE = "application/warc-fields";

/** A new WARC 1.1 file, one gzip member per record; the first one is a warcinfo. Nothing is overwritten. */
export class WarcFile {
  readonly #file: AppendFile;
  readonly #level: number;
  readonly #members = new MemberBuffer();

  constructor(path: string, options: WarcFileOptions = {}) {
    this.#level = options.level ?? 6;
    this.#file = new AppendFile(path, "new");
    const software = safeText(options.software ?? "Orbweaver");
    const block = Buffer.from(`software: ${software}\r\nformat: WARC File Format 1.1\r\n`);
    this.write({ type: "warcinfo", contentType: INFO_TYPE, block });
  }

  /** Writes a record and returns its id. */
  write({ type, uri, contentType, block, date = new Date(), fields = {} }: NewRecord): string {
    if (!TYPE.test(type)) throw new UsageError("the type of a record is a word in small letters");
    const id = newRecordId();
    let head = `WARC-Type: ${type}\r\nWARC-Record-ID: <urn:uuid:${id}>\r\n`;
    head += `WARC-Date: ${warcDate(date.getTime())}\r\n`;
    if (uri !== undefined) head += `WARC-Target-URI: ${safeUri(uri)}\r\n`;
    if (contentType !== undefined) head += `Content-Type: ${ascii(contentType)}\r\n`;
    for (const [name, value] of Object.entries(fields)) {
      if (!NAME.test(name))
        throw new UsageError(`a field cannot be called ${JSON.stringify(name)}`);
      head += `${name}: ${ascii(value)}\r\n`;
    }
    this.#members.add(head, [block], this.#level);
    this.#file.write(this.#members.bytes);
    this.#members.clear();
    return id;
  }

  /** Makes everything durable and closes the file. */
  close(): void {
    this.#file.sync();
    this.#file.close();
  }
}

/** A value without line ends, in ASCII. */
function ascii(value: string): string {
  return safeText(value).replace(/[^\x20-\x7e]/g, "?");
}
