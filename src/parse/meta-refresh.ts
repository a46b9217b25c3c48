/** A refresh; an undefined link means the page itself. */
export interface Refresh {
  seconds: number;
  link: string | undefined;
}

const WHITE = /[\t\n\f\r ]*/y;
const DIGITS = /[0-9]*/y;
const DIGITS_AND_DOTS = /[0-9.]*/y;
const URL_EQUALS = /u(r(l([\t\n\f\r ]*(=[\t\n\f\r ]*)?)?)?)?/iy;

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + pattern.exec(text)![0].length;
}

/** The shared declarative refresh steps of HTML, on the content of a meta element. */
export function parseRefresh(content: string): Refresh | undefined {
  let at = skip(WHITE, content, 0);
  const digits = skip(DIGITS, content, at);
  if (digits === at && content[at] !== ".") return undefined;
  const seconds = Number(content.slice(at, digits));
  at = skip(DIGITS_AND_DOTS, content, digits);
  if (at >= content.length) return { seconds, link: undefined };
  if (!/[;,\t\n\f\r ]/.test(content[at]!)) return undefined;
  at = skip(WHITE, content, at);
  if (content[at] === ";" || content[at] === ",") at++;
  at = skip(WHITE, content, at);
  if (at >= content.length) return { seconds, link: undefined };
  return { seconds, link: linkAt(content, at) };
}

function linkAt(content: string, at: number): string {
  URL_EQUALS.lastIndex = at;
  const prefix = URL_EQUALS.exec(content);
  if (prefix !== null) {
    // "u", "ur" or "url" without "=" is the beginning of the link itself, quotes and all.
    if (prefix[4] === undefined) return content.slice(at);
    at += prefix[0].length;
  }
  const quote = content[at];
  if (quote !== '"' && quote !== "'") return content.slice(at);
  const close = content.indexOf(quote, at + 1);
  return content.slice(at + 1, close < 0 ? undefined : close);
}
