/** An attribute of HTML that names another resource. */
export interface LinkAttribute {
  /** Element, in lower case. */
  tag: string;
  /** Where the value lies in the text, quotes not included. */
  from: number;
  to: number;
  quoted: boolean;
}

// Elements whose content is text up to their own end tag: no links in there.
const RAW_TEXT = new Set(["script", "style", "textarea", "title", "xmp", "noembed", "noframes"]);
const BLANK = /[\t\n\f\r ]/;
const LETTER = /[a-z]/i;

/**
 * Finds every href and src in HTML, in order. Serving a folder needs it to rewrite links and to know its
 * truth before any crawl. It shares no code with the crawler's own scanner, so that each checks the other.
 */
export function* linkAttributes(html: string): Generator<LinkAttribute> {
  let at = 0;
  for (;;) {
    at = html.indexOf("<", at);
    if (at < 0) return;
    if (html.startsWith("<!--", at)) {
      // "<!-->" and "<!--->" are whole comments.
      const short = /^<!--?>|^<!--->/.exec(html.slice(at, at + 6));
      const end = short ? at + short[0].length - 3 : html.indexOf("-->", at + 4);
      if (end < 0) return;
      at = end + 3;
      continue;
    }
    const next = html[at + 1] ?? "";
    if (next === "/" || next === "!" || next === "?") {
      const end = next === "/" ? endOfTag(html, at + 2) : html.indexOf(">", at);
      if (end < 0) return;
      at = end + 1;
      continue;
    }
    if (!LETTER.test(next)) {
      at++;
      continue;
    }
    let nameEnd = at + 1;
    while (nameEnd < html.length && !/[\t\n\f\r />]/.test(html[nameEnd]!)) nameEnd++;
    const tag = html.slice(at + 1, nameEnd).toLowerCase();
    const found: LinkAttribute[] = [];
    const end = readAttributes(html, nameEnd, tag, found);
    if (end < 0) return; // a tag that the end of the file cuts off is no tag
    yield* found;
    at = RAW_TEXT.has(tag) ? endOfRawText(html, end, tag) : end;
  }
}

/** Position of the `>` that ends a tag, past quoted values, or -1. */
function endOfTag(html: string, from: number): number {
  const end = readAttributes(html, from, "", []);
  return end < 0 ? -1 : end - 1;
}

function endOfRawText(html: string, from: number, tag: string): number {
  for (let at = from; ; at++) {
    at = html.indexOf("</", at);
    if (at < 0) return html.length;
    const after = at + 2 + tag.length;
    const name = html.slice(at + 2, after).toLowerCase();
    if (name === tag && /[\t\n\f\r />]/.test(html[after] ?? "")) return at;
  }
}

/** Reads attributes up to the end of the tag; gives the position after its `>`, or -1 where there is none. */
function readAttributes(html: string, from: number, tag: string, found: LinkAttribute[]): number {
  const seen = new Set<string>();
  for (let at = from; ; ) {
    while (at < html.length && (BLANK.test(html[at]!) || html[at] === "/")) at++;
    if (at >= html.length) return -1;
    if (html[at] === ">") return at + 1;
    let nameEnd = at + 1; // a name may start with "="
    while (nameEnd < html.length && !/[\t\n\f\r />=]/.test(html[nameEnd]!)) nameEnd++;
    const name = html.slice(at, nameEnd).toLowerCase();
    at = nameEnd;
    while (at < html.length && BLANK.test(html[at]!)) at++;
    if (html[at] !== "=") continue;
    at++;
    while (at < html.length && BLANK.test(html[at]!)) at++;
    const quote = html[at];
    let valueFrom = at;
    let valueTo: number;
    const quoted = quote === '"' || quote === "'";
    if (quoted) {
      valueFrom = at + 1;
      valueTo = html.indexOf(quote, valueFrom);
      if (valueTo < 0) return -1;
      at = valueTo + 1;
    } else {
      while (at < html.length && !/[\t\n\f\r >]/.test(html[at]!)) at++;
      valueTo = at;
    }
    // Of two attributes with one name the first counts.
    if ((name === "href" || name === "src") && !seen.has(name)) {
      found.push({ tag, from: valueFrom, to: valueTo, quoted });
    }
    seen.add(name);
  }
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Replaces the character references that occur in URLs; others stay as they are. */
export function decodeReferences(value: string): string {
  if (!value.includes("&")) return value;
  return value.replace(
    /&(?:#(\d+)|#x([0-9a-f]+)|(amp|lt|gt|quot|apos)\b);?/gi,
    (all, dec, hex, name) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? all;
      const code = dec === undefined ? Number.parseInt(hex, 16) : Number(dec);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}
