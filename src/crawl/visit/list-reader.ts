import zlib from "node:zlib";
import { type ByteStep, DecodeStep, FirstBytes } from "../../fetch/coding/byte-steps.ts";
import { type Coding, codingsOf, decoderOf, isGzip } from "../../fetch/coding/decode.ts";
import { DecodeBudget } from "../../fetch/coding/decode-budget.ts";
import { ResponseHead } from "../../fetch/response-head.ts";
import type { BodyTap } from "../../fetch/transport.ts";
import {
  SITEMAP_MAX_BYTES,
  type Sitemap,
  SitemapReader,
} from "../../parse/lists/sitemap-reader.ts";
import { giveBackMemory } from "../../runtime/collect-garbage.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";

const CAPS = { maxBytes: SITEMAP_MAX_BYTES, maxRatio: 200 };
/** After this much decoded input the garbage of the decoders is worth collecting. */
const COLLECT_BYTES = 8 * 1024 * 1024;

/** What a list held, and what was wrong with its coding. */
export interface ReadList {
  readonly listed: Sitemap;
  readonly flag: "bad_encoding" | "encoding_error" | "decode_budget" | undefined;
  /** CPU time that its codings cost. */
  readonly costMs: number;
}

/**
 * Reads a sitemap or feed while it arrives: decoded, unzipped and scanned piece by piece. Of a document of any size
 * only the entries are kept.
 */
export class ListReader implements BodyTap {
  /** One more than is read, to notice a list that is too large. */
  readonly maxBytes = SITEMAP_MAX_BYTES + 1;
  readonly #url: CrawlUrl;
  #reader: SitemapReader | undefined;
  #entry: ByteStep | undefined;
  #codings: DecodeStep[] = [];
  #file: DecodeStep | undefined;
  readonly #budget = new DecodeBudget();
  #flag: ReadList["flag"];
  #uncollected = 0;
  #ended = false;
  #whenEnded: (() => void) | undefined;
  #finished: Promise<ReadList> | undefined;

  constructor(url: CrawlUrl) {
    this.#url = url;
  }

  get isDone(): boolean {
    return this.#ended || (this.#reader?.isDone ?? true);
  }

  get isBehind(): boolean {
    return this.#entry?.isBehind === true;
  }

  begin(head: ResponseHead): void {
    if (head.status < 200 || head.status > 299) return;
    const contentType = head.get("content-type");
    const options = contentType === undefined ? {} : { contentType };
    this.#reader = new SitemapReader(this.#url, options);
    const codings = codingsOf(head.all("content-encoding").join(", "));
    if (codings === undefined) this.#flag = "bad_encoding";
    // From the inside out: the entries, the gzip file around them, the codings of the transfer.
    let step: ByteStep = new FirstBytes((first) => this.#unzip(first));
    for (const coding of [...(codings ?? [])].reverse()) step = this.#decode(coding, step);
    this.#entry = step;
  }

  push(piece: Uint8Array): void {
    if (this.#flag !== "bad_encoding") this.#entry?.write(piece);
  }

  whenReady(go: () => void): void {
    this.#entry?.whenReady(go);
  }

  /** There are no more bytes; resolves when all have been read. May be called again. */
  finish(): Promise<ReadList> {
    this.#finished ??= this.#finish();
    return this.#finished;
  }

  async #finish(): Promise<ReadList> {
    this.#entry?.end();
    if (this.#entry !== undefined && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#whenEnded = resolve;
      });
    }
    const faults = this.#codings.map(({ fault }) => fault);
    if (faults.includes("encoding_error")) this.#flag ??= "encoding_error";
    if ([...faults, this.#file?.fault].includes("decode_budget")) this.#flag ??= "decode_budget";
    const listed = (this.#reader ?? new SitemapReader(this.#url)).finish();
    if (this.#file?.fault === "encoding_error") return this.#with(listed, "sitemap_bad_gzip");
    const isCut = [...faults, this.#file?.fault].includes("body_too_large");
    return isCut ? this.#with(listed, "sitemap_too_large") : this.#read(listed);
  }

  #read(listed: Sitemap): ReadList {
    return { listed, flag: this.#flag, costMs: this.#budget.spentMs };
  }

  /** Sets the error, unless the content was refused for a reason of its own. */
  #with(listed: Sitemap, error: NonNullable<Sitemap["error"]>): ReadList {
    const isOwn = listed.error === undefined || listed.error === "sitemap_unknown";
    return this.#read(isOwn ? { ...listed, error } : listed);
  }

  #decode(coding: Coding, next: ByteStep): ByteStep {
    return new FirstBytes((first) => {
      if (coding === "gzip" && !isGzip(first)) {
        // Announced as gzip, but it is not: read the list as it is.
        if (first.length > 0) this.#flag ??= "encoding_error";
        return next;
      }
      const step = new DecodeStep(decoderOf(coding, first), CAPS, this.#budget, next);
      this.#codings.push(step);
      return step;
    });
  }

  #unzip(first: Buffer): ByteStep {
    if (!isGzip(first)) return this.#last;
    this.#file = new DecodeStep(zlib.createGunzip, CAPS, this.#budget, this.#last);
    return this.#file;
  }

  readonly #last: ByteStep = {
    isBehind: false,
    whenReady: () => {},
    write: (piece) => {
      this.#reader?.push(piece);
      this.#uncollected += piece.length;
      if (this.#uncollected < COLLECT_BYTES) return;
      this.#uncollected = 0;
      giveBackMemory();
    },
    end: () => {
      this.#ended = true;
      this.#whenEnded?.();
    },
  };
}

/** Reads a list that is here as a whole, the way a crawl reads it. */
export async function readWholeList(
  url: CrawlUrl,
  body: Uint8Array,
  contentType?: string,
): Promise<Sitemap> {
  const reader = new ListReader(url);
  const type = contentType === undefined ? "" : `Content-Type: ${contentType}\r\n`;
  reader.begin(ResponseHead.parse(`HTTP/1.1 200 OK\r\n${type}\r\n`)!);
  reader.push(body);
  return (await reader.finish()).listed;
}
