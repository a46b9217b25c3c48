import { rememberLast } from "../../runtime/remember-last.ts";

// Everything that comes from the web and enters a header, an index line or a field passes through here first, so that no
// foreign byte can end a line and begin another.

// Printable ASCII without "@": a URL of nothing else is safe.
const NEEDS_CARE = /[^\x21-\x3f\x41-\x7e]/;
const NOT_URI = /[^\x21-\x7e]+/g;
/** One line of ASCII, without spaces at its ends. */
const PLAIN_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i;
// C0 and C1 controls, DEL, and the two Unicode line separators.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const BREAKS = /[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g;

/** A URL that fits a header line: percent-encoded where needed, without credentials. */
export function safeUri(url: string): string {
  if (!NEEDS_CARE.test(url)) return url;
  return url
    .replace(CREDENTIALS, "$1")
    .replace(NOT_URI, (bad) =>
      Buffer.from(bad).toString("hex").replace(/../g, "%$&").toUpperCase(),
    );
}

/** The same for the page that is being stored, which several writers name one after the other, and for its parent. */
export const safePage = rememberLast(safeUri);
export const safeParent = rememberLast(safeUri);

/** A field value on one line: every run of control characters and line ends becomes one space. */
export function safeText(value: string): string {
  if (PLAIN_TEXT.test(value)) return value;
  return value.replace(BREAKS, " ").trim();
}
