// The Fetch standard's "extract a MIME type" and the MIME Sniffing standard's parser, for what a
// crawler needs of them: the essence and the charset.

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const QUOTED_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The parts of a Content-Type header that a crawler needs. */
export interface ContentType {
  /** Such as "text/html", in lower case. */
  essence: string;
  /** As written, undefined when there is none. */
  charset: string | undefined;
}

/** Reads a Content-Type header; several header lines are to be joined by ", ". */
export function parseContentType(header: string): ContentType | undefined {
  let found: ContentType | undefined;
  for (const part of splitOutsideQuotes(header, ",")) {
    const type = parseOne(part);
    if (type === undefined || type.essence === "*/*") continue;
    // A later line of the same type keeps the charset that an earlier one gave.
    const kept = found?.essence === type.essence ? found.charset : undefined;
    found = { essence: type.essence, charset: type.charset ?? kept };
  }
  return found;
}

function parseOne(header: string): ContentType | undefined {
  const text = trimHttp(header);
  let at = endOf(text, ";", 0);
  const [major, minor, ...more] = text.slice(0, at).split("/");
  const subtype = minor === undefined ? undefined : trimHttpEnd(minor);
  if (more.length > 0 || subtype === undefined) return undefined;
  if (!TOKEN.test(major!) || !TOKEN.test(subtype)) return undefined;
  const essence = `${major}/${subtype}`.toLowerCase();
  while (at < text.length) {
    const from = at + 1;
    at = endOf(text, ";", from);
    const [name, given] = text.slice(from, at).split("=", 2);
    // A parameter without a value is skipped.
    if (given === undefined) continue;
    const [value, end] = parameterValue(text, from + name!.length + 1);
    at = end;
    if (name!.replace(/^[\t\n\r ]+/, "").toLowerCase() !== "charset") continue;
    // The first that is well-formed counts; one in quotes may be empty.
    if (value !== undefined && QUOTED_TEXT.test(value)) return { essence, charset: value };
  }
  return { essence, charset: undefined };
}

/** The value that begins there, undefined for none, and where its parameter ends. */
function parameterValue(text: string, from: number): [value: string | undefined, end: number] {
  if (text[from] !== '"') {
    // Only a value that begins with a quote is quoted; any other ends at the next semicolon.
    const end = endOf(text, ";", from);
    const value = trimHttpEnd(text.slice(from, end));
    return [value === "" ? undefined : value, end];
  }
  let value = "";
  let at = from + 1;
  for (; at < text.length && text[at] !== '"'; at++) {
    if (text[at] === "\\" && at + 1 < text.length) at++;
    value += text[at];
  }
  return [value, endOf(text, ";", at)];
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at;
}

function trimHttp(text: string): string {
  return trimHttpEnd(text.replace(/^[\t\n\r ]+/, ""));
}

/** By hand: a regular expression anchored at the end would start over at every blank inside. */
function trimHttpEnd(text: string): string {
  let end = text.length;
  while (end > 0 && "\t\n\r ".includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** Splits at a separator, except inside double quotes with their backslash escapes. */
function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (quoted && character === "\\") i++;
    else if (character === '"') quoted = !quoted;
    else if (character === separator && !quoted) {
      parts.push(text.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}
