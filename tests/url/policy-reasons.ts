import { domainToASCII } from "node:url";
import { refusalOf } from "../../src/url/crawl-url.ts";

/** A way in which our canonical form differs from another one on purpose: with it undone on both sides, they agree. */
export interface Reason {
  readonly name: string;
  undo(url: string): string;
}

const HOST = /^([a-z]+:\/\/)([^/?#]*)/i;

function onHost(url: string, change: (authority: string) => string): string {
  return url.replace(HOST, (_, scheme: string, authority: string) => scheme + change(authority));
}

function afterHost(url: string, change: (rest: string) => string): string {
  const length = HOST.exec(url)?.[0].length ?? 0;
  return url.slice(0, length) + change(url.slice(length));
}

function onQuery(url: string, change: (query: string) => string): string {
  const mark = url.indexOf("?");
  const hash = url.indexOf("#", mark);
  if (mark < 0) return url;
  const end = hash < 0 ? url.length : hash;
  return url.slice(0, mark + 1) + change(url.slice(mark + 1, end)) + url.slice(end);
}

function unescapePrintable(text: string): string {
  return text.replace(/%([2-7][0-9a-f])/gi, (triplet, hex: string) =>
    /7f|25/i.test(hex) ? triplet : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function unescapeAll(text: string): string {
  for (let before = text; ; before = text) {
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (text === before) return text;
  }
}

/** The mild ones first: where one of them explains a difference, a stronger one is not called upon. */
export const REASONS: readonly Reason[] = [
  { name: "fragment dropped", undo: (url) => url.replace(/#.*$/s, "") },
  { name: "credentials dropped", undo: (url) => onHost(url, (host) => host.replace(/^.*@/s, "")) },
  {
    name: "empty path becomes a slash",
    undo: (url) => url.replace(/^([a-z]+:\/\/[^/?#]+)(?=[?#]|$)/i, "$1/"),
  },
  {
    name: "default port dropped",
    undo: (url) =>
      url
        .replace(/^(http:\/\/[^/?#]*):80(?=[/?#]|$)/, "$1")
        .replace(/^(https:\/\/[^/?#]*):443(?=[/?#]|$)/, "$1"),
  },
  { name: "scheme in lower case", undo: (url) => url.replace(/^[a-z]+:/i, (s) => s.toLowerCase()) },
  {
    name: "international host always in ASCII",
    undo: (url) => onHost(url, (host) => domainToASCII(host) || host),
  },
  {
    name: "host of dots alone stays a name",
    undo: (url) => onHost(url, (host) => (/^\.+$/.test(host) ? "0.0.0.0" : host)),
  },
  {
    name: "dots around host labels kept",
    undo: (url) => onHost(url, (host) => host.replace(/\.{2,}/g, ".").replace(/^\.|\.$/g, "")),
  },
  {
    name: "empty parameters kept",
    undo: (url) =>
      onQuery(url, (query) => query.split("&").filter(Boolean).join("&")).replace(/\?(?=#|$)/, ""),
  },
  {
    name: "no equals sign added",
    undo: (url) => onQuery(url, (query) => query.replace(/=(?=&|$)/g, "")),
  },
  {
    name: "order of parameters kept",
    undo: (url) => onQuery(url, (query) => query.split("&").sort().join("&")),
  },
  { name: "plus and %20 kept apart", undo: (url) => onQuery(url, (q) => q.replaceAll("+", "%20")) },
  {
    name: "double slashes kept",
    undo: (url) => afterHost(url, (rest) => rest.replace(/^[^?#]*/, (p) => p.replace(/\/+/g, "/"))),
  },
  {
    name: "percent sign left as written",
    undo: (url) => url.replace(/%(?![0-9a-f]{2})/gi, "%25"),
  },
  {
    name: "only unreserved characters unescaped",
    undo: (url) => afterHost(url, unescapePrintable),
  },
  { name: "unescaped once, not again and again", undo: (url) => afterHost(url, unescapeAll) },
];

/** What only the most aggressive policies do; undone before the rest, because they sort what is in lower case. */
export const AGGRESSIVE_REASONS: readonly Reason[] = [
  { name: "www kept", undo: (url) => onHost(url, (host) => host.replace(/^www\d*\./, "")) },
  { name: "http and https kept apart", undo: (url) => url.replace(/^https:/, "http:") },
  {
    name: "letter case of path and query kept",
    undo: (url) => afterHost(url, (rest) => rest.toLowerCase()),
  },
  ...REASONS,
];

/** The fewest reasons that explain a difference; undefined when all together do not. */
export function explain(
  ours: string,
  theirs: string,
  reasons: readonly Reason[],
): string[] | undefined {
  const agree = (chosen: readonly Reason[]) => {
    const undone = (url: string) => chosen.reduce((text, { undo }) => undo(text), url);
    return undone(ours) === undone(theirs);
  };
  if (!agree(reasons)) return undefined;
  let needed = [...reasons];
  // The strongest are dropped first, so that what is left is as mild as it can be.
  for (const reason of [...reasons].reverse()) {
    const fewer = needed.filter((other) => other !== reason);
    if (agree(fewer)) needed = fewer;
  }
  return needed.map(({ name }) => name);
}

/** Why we do not follow what another tool does; undefined when there is no good reason. */
export function refusalReason(input: string): string | undefined {
  const refusal = refusalOf(input);
  if (refusal === "blocked_scheme") return "other scheme refused";
  if (refusal === "url_too_long") return "longer than a URL may be";
  if (!/^[\0-\x20]*[a-z][a-z0-9+.-]*:/i.test(input.replace(/[\t\n\r]/g, "")))
    return "not a complete URL";
  return URL.canParse(input) ? undefined : "host that the URL standard forbids";
}
