// The Fetch standard's "extract a MIME type" and the MIME Sniffing standard's parser, for what a
// crawler needs of them: the essence and the charset.

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const QUOTED_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What a Content-Type header says. */
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

function parseOne(text: string): ContentType | undefined {
  const [type, ...parameters] = splitOutsideQuotes(trimHttp(text), ";");
  const [major, minor, ...more] = type!.split("/");
  const subtype = minor?.trimEnd();
  if (more.length > 0 || subtype === undefined) return undefined;
  if (!TOKEN.test(major!) || !TOKEN.test(subtype)) return undefined;
  const essence = `${major}/${subtype}`.toLowerCase();
  for (const parameter of parameters) {
    const equals = parameter.indexOf("=");
    if (equals < 0) continue;
    if (trimHttp(parameter.slice(0, equals)).toLowerCase() !== "charset") continue;
    if (/[\t\n\r ]$/.test(parameter.slice(0, equals))) continue;
    const value = parameterValue(parameter.slice(equals + 1));
    if (value !== undefined) return { essence, charset: value };
  }
  return { essence, charset: undefined };
}

function parameterValue(written: string): string | undefined {
  if (!written.startsWith('"')) {
    const value = written.replace(/[\t\n\r ]+$/, "");
    return value !== "" && QUOTED_TEXT.test(value) && TOKEN.test(value) ? value : undefined;
  }
  let value = "";
  for (let i = 1; i < written.length && written[i] !== '"'; i++) {
    if (written[i] === "\\" && i + 1 < written.length) i++;
    value += written[i];
  }
  return QUOTED_TEXT.test(value) ? value : undefined;
}

function trimHttp(text: string): string {
  return text.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
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
