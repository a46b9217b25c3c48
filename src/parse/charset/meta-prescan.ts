import { BREAK } from "../tags.ts";
import { CHARSET_LABELS } from "./charset-labels.ts";

const PRESCAN_BYTES = 1024;
/** Browsers also obey a later meta element, by parsing again from the start. */
const LATE_BYTES = 16_384;
const WHITE = 1;
const GREATER_THAN = 0x3e;

/** The encoding a label stands for, undefined when the Encoding standard knows no such label. */
export function charsetByLabel(label: string): string | undefined {
  const [, word] = /^[\t\n\f\r ]*([^\t\n\f\r ]+)[\t\n\f\r ]*$/.exec(label) ?? [];
  return word === undefined ? undefined : CHARSET_LABELS.get(word.toLowerCase());
}

/** What a charset found in a meta element really means (HTML, 13.2.3.2, last steps). */
function adjusted(charset: string | undefined): string | undefined {
  if (charset === "utf-16be" || charset === "utf-16le") return "utf-8";
  return charset === "x-user-defined" ? "windows-1252" : charset;
}

/** The algorithm for extracting a character encoding from a meta element's content. */
export function charsetInContent(content: string): string | undefined {
  const match =
    /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*))/i;
  const found = match.exec(content);
  const label = found?.[1] ?? found?.[2] ?? found?.[3];
  return label === undefined ? undefined : charsetByLabel(label);
}

/** Walks over the first bytes of a page for the prescan. */
class Prescan {
  p = 0;
  readonly #text: string;

  constructor(body: Uint8Array, maxBytes: number) {
    this.#text = Buffer.from(
      body.buffer,
      body.byteOffset,
      Math.min(body.length, maxBytes),
    ).toString("latin1");
  }

  run(): string | undefined {
    const text = this.#text;
    if (!/charset/i.test(text)) return undefined; // nothing to find, and this test is cheap
    for (; this.p < text.length; this.p++) {
      this.p = text.indexOf("<", this.p);
      if (this.p < 0) return undefined;
      if (text.startsWith("<!--", this.p)) {
        const close = text.indexOf("-->", this.p + 2);
        if (close < 0) return undefined;
        this.p = close + 2;
      } else if (/^<meta[\t\n\f\r /]/i.test(text.slice(this.p, this.p + 6))) {
        this.p += 5;
        const charset = this.#meta();
        if (charset !== undefined) return charset;
      } else if (/^<\/?[a-z]/i.test(text.slice(this.p, this.p + 3))) {
        while (this.p < text.length && !/[\t\n\f\r >]/.test(text[this.p]!)) this.p++;
        while (this.#attribute() !== undefined);
      } else if (/^<[!/?]/.test(text.slice(this.p, this.p + 2))) {
        const close = text.indexOf(">", this.p);
        if (close < 0) return undefined;
        this.p = close;
      }
    }
    return undefined;
  }

  #meta(): string | undefined {
    const seen = new Set<string>();
    let gotPragma = false;
    let needPragma: boolean | undefined;
    let charset: string | undefined;
    for (let pair = this.#attribute(); pair !== undefined; pair = this.#attribute()) {
      const [name, value] = pair;
      if (seen.has(name)) continue;
      seen.add(name);
      if (name === "http-equiv") gotPragma ||= value === "content-type";
      else if (name === "content") {
        const found = charsetInContent(value);
        if (found !== undefined && charset === undefined) {
          charset = found;
          needPragma = true;
        }
      } else if (name === "charset") {
        charset = charsetByLabel(value);
        needPragma = false;
      }
    }
    if (needPragma === undefined || (needPragma && !gotPragma)) return undefined;
    return adjusted(charset);
  }

  #kind(): number {
    return this.p < this.#text.length ? BREAK[this.#text.charCodeAt(this.p)]! : -1;
  }

  /** The standard's "get an attribute": name and value in lower case, undefined at the tag's end. */
  #attribute(): [string, string] | undefined {
    const text = this.#text;
    while (this.#kind() === WHITE || text[this.p] === "/") this.p++;
    if (this.#kind() === -1 || text[this.p] === ">") return undefined;
    const start = this.p++;
    while (this.#kind() === 0) this.p++;
    const name = text.slice(start, this.p).toLowerCase();
    while (this.#kind() === WHITE) this.p++;
    if (text[this.p] !== "=") return this.#kind() === -1 ? undefined : [name, ""];
    this.p++;
    while (this.#kind() === WHITE) this.p++;
    if (this.#kind() === -1) return undefined;
    const quote = text[this.p]!;
    if (quote === '"' || quote === "'") {
      const close = text.indexOf(quote, this.p + 1);
      if (close < 0) {
        this.p = text.length;
        return undefined;
      }
      const value = text.slice(this.p + 1, close).toLowerCase();
      this.p = close + 1;
      return [name, value];
    }
    const valueStart = this.p;
    while (this.#kind() !== -1 && this.#kind() !== WHITE && text[this.p] !== ">") this.p++;
    if (this.#kind() === -1) return undefined;
    return [name, text.slice(valueStart, this.p).toLowerCase()];
  }
}

/** The beginning of the last page, up to the ">" of the meta element that decided, and what that said. */
let latest = { start: new Uint8Array(), charset: "" };

/** The encoding that the first 1024 bytes declare in a meta element, else a somewhat later one. */
export function prescanCharset(body: Uint8Array): string | undefined {
  // The pages of a site begin alike, and what is behind the element that decides is not read.
  const { start } = latest;
  let same = 0;
  while (same < start.length && body[same] === start[same]) same++;
  if (same > 0 && same === start.length) return latest.charset;
  const scan = new Prescan(body, PRESCAN_BYTES);
  const early = scan.run();
  // A tag that is cut off may say more in a longer page.
  if (early !== undefined && body[scan.p] === GREATER_THAN && scan.p < PRESCAN_BYTES)
    latest = { start: new Uint8Array(body.subarray(0, scan.p + 1)), charset: early };
  if (early !== undefined || body.length <= PRESCAN_BYTES) return early;
  return new Prescan(body, LATE_BYTES).run();
}
