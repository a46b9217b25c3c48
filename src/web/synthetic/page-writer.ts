import { crc32 } from "node:zlib";
import { mix, Random } from "../seeded-random.ts";
import { headText } from "../serving/http-head.ts";
import { ByteWriter } from "./byte-writer.ts";
import { BLOCK_BYTES, Filler } from "./filler.ts";
import { deflatedLinesRoom, deflateLines } from "./line-deflate.ts";
import { sentences } from "./word-list.ts";

/** The contents of a page, apart from filler. */
export interface PagePlan {
  page: number;
  title: string;
  /** Appends the items of the list of links, as HTML. */
  writeLinks: (out: ByteWriter) => void;
  /** The most bytes they need. */
  maxLinksBytes: number;
  /** Size of the body; more when the links alone need more. */
  bytes: number;
  chunked: boolean;
}

const HEAD_ROOM = 512;
const CHUNK_BYTES = 8_192;
const OPENING = `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>`;
const CLOSING = `</body>\n</html>\n`;
/** The same as the last block of a deflated page, stored (RFC 1951, 3.2.4). */
const STORED_CLOSING = Buffer.from(
  `\x01${String.fromCharCode(CLOSING.length, 0, ~CLOSING.length & 0xff, 0xff)}${CLOSING}`,
  "latin1",
);
const FIXED_BYTES = OPENING.length + CLOSING.length + 128;

/**
 * Writes whole responses into memory that is used again for the next page. The body is made first and
 * the head right before it, because only then is the length known; both leave in a single write.
 */
export class PageWriter {
  readonly #filler: Filler;
  readonly #padding: string;
  readonly #seed: number;
  #plain = new ByteWriter(1 << 17);
  #coded = new ByteWriter(1 << 17);

  constructor(seed: number, isMarkup: boolean) {
    this.#seed = seed;
    this.#filler = new Filler(seed, isMarkup);
    this.#padding = sentences(new Random(seed ^ 0x9add), BLOCK_BYTES);
  }

  /** The memory of the last page is still in use: the next pages get fresh memory. */
  keep(): void {
    this.#plain = new ByteWriter(this.#plain.bytes.length);
    this.#coded = new ByteWriter(this.#coded.bytes.length);
  }

  /** The response with this page; it is valid until the next call. */
  write(plan: PagePlan, gzip: boolean, headOnly: boolean): Uint8Array {
    const room = FIXED_BYTES + 2 * plan.title.length + plan.maxLinksBytes;
    this.#makeRoom(HEAD_ROOM + 2 * room + plan.bytes + BLOCK_BYTES);

    const out = this.#plain;
    out.at = HEAD_ROOM;
    this.#writeOpening(plan);
    const missing = Math.max(0, plan.bytes - (out.at - HEAD_ROOM) - CLOSING.length);
    this.#pad(missing % BLOCK_BYTES);
    const fillerAt = out.at;
    const chapter = mix(this.#seed, plan.page);
    const blocks = Math.floor(missing / BLOCK_BYTES);
    out.at = this.#filler.copyPlain(chapter, blocks, out.bytes, out.at);
    out.ascii(CLOSING);

    const coded = gzip ? this.#gzip(fillerAt, chapter, blocks) : out;
    const framed = plan.chunked ? this.#frame(coded) : coded;
    return this.#withHead(framed, plan.chunked, gzip, headOnly);
  }

  #makeRoom(bytes: number): void {
    if (this.#plain.bytes.length < bytes) this.#plain = new ByteWriter(bytes);
    // Of the three ways to become longer (lists, stored blocks, chunks) the first is the worst.
    const coded = deflatedLinesRoom(bytes) + 1024;
    if (this.#coded.bytes.length < coded) this.#coded = new ByteWriter(coded);
  }

  #writeOpening(plan: PagePlan): void {
    const out = this.#plain;
    out.ascii(OPENING);
    out.ascii(plan.title);
    out.ascii("</title></head>\n<body>\n<h1>");
    out.ascii(plan.title);
    out.ascii("</h1>\n<ul>\n");
    plan.writeLinks(out);
    out.ascii("</ul>\n");
  }

  /** Fewer bytes than a block: a paragraph cut to size, or blanks where no paragraph fits. */
  #pad(bytes: number): void {
    if (bytes < 8) {
      this.#plain.ascii("\n".repeat(bytes));
      return;
    }
    this.#plain.ascii("<p>");
    this.#plain.latin1(this.#padding, bytes - 8);
    this.#plain.ascii("</p>\n");
  }

  /** The gzip form: what is particular to the page, mostly its list of links, and the filler's deflated copy. */
  #gzip(fillerAt: number, chapter: number, blocks: number): ByteWriter {
    const plain = this.#plain;
    const out = this.#coded;
    out.at = HEAD_ROOM;
    out.ascii("\x1f\x8b\x08\0\0\0\0\0\0\x03"); // deflate, no name, no time, Unix
    out.at = deflateLines(plain.bytes, HEAD_ROOM, fillerAt, out.bytes, out.at);
    out.at = this.#filler.copyDeflated(chapter, blocks, out.bytes, out.at);
    out.copy(STORED_CLOSING);
    const body = plain.bytes.subarray(HEAD_ROOM, plain.at);
    out.uint32(crc32(body));
    out.uint32(body.length);
    return out;
  }

  /** The same bytes in chunks, in the writer that does not hold them. */
  #frame(body: ByteWriter): ByteWriter {
    const out = body === this.#plain ? this.#coded : this.#plain;
    out.at = HEAD_ROOM;
    for (let at = HEAD_ROOM; at < body.at; at += CHUNK_BYTES) {
      const chunk = body.bytes.subarray(at, Math.min(body.at, at + CHUNK_BYTES));
      out.ascii(`${chunk.length.toString(16)}\r\n`);
      out.copy(chunk);
      out.ascii("\r\n");
    }
    out.ascii("0\r\n\r\n");
    return out;
  }

  #withHead(body: ByteWriter, chunked: boolean, gzip: boolean, headOnly: boolean): Uint8Array {
    const { prefix, suffix } = HEADS[(chunked ? 2 : 0) + (gzip ? 1 : 0)]!;
    const head = chunked ? prefix : `${prefix}${body.at - HEAD_ROOM}${suffix}`;
    const from = HEAD_ROOM - head.length;
    body.bytes.write(head, from, head.length, "latin1");
    return body.bytes.subarray(from, headOnly ? HEAD_ROOM : body.at);
  }
}

/** Heads of pages, cut where the length goes; by 2 * chunked + gzip. */
const HEADS = [0, 1, 2, 3].map((kind) => {
  const head = headText(200, {
    "Content-Type": "text/html; charset=utf-8",
    ...(kind & 1 ? { "Content-Encoding": "gzip" } : {}),
    Vary: "Accept-Encoding",
    ...(kind & 2 ? { "Transfer-Encoding": "chunked" } : { "Content-Length": "#" }),
  });
  const [prefix = "", suffix = ""] = `${head}\r\n`.split("#");
  return { prefix, suffix };
});
