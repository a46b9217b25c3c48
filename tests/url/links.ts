import * as fc from "fast-check";

/** Bases as a crawl meets them: plain, deep, with query, port, address, double slashes and odd characters. */
export const BASES = [
  "http://a/b/c/d;p?q",
  "http://h/",
  "https://example.org/docs/guide/intro.html",
  "https://example.org:8443/x/y/?a=/b/c#",
  "http://127.0.0.1:8080/site/index.html",
  "http://[::1]:3000/a/",
  "https://xn--bcher-kva.example/a%20b/c'd",
  "http://h//a//b/",
  "http://h/a/..b/.c/%41/?",
] as const;

// Every piece is here because some parser treats it in its own way.
const PIECES = [
  ..."aZ09-_~!$&'()*+,;=:@|[]{}^`\"<>\\/?#%.",
  ...[
    "\t",
    "\n",
    "\r",
    " ",
    "\0",
    "\x1f",
    "\x7f",
    "\u0085",
    "\u00a0",
    "é",
    "日",
    "\u{1f600}",
    "\ud800",
  ],
  ...[
    "．",
    "。",
    "１",
    "ß",
    "\u200d",
    "\u00ad",
    "%00",
    "%20",
    "%2e",
    "%2E",
    "%2f",
    "%c3%a9",
    "%",
    "%zz",
  ],
  ...[
    "./",
    "../",
    "/.",
    "/..",
    "/./",
    "/../",
    "//",
    "///",
    "\\\\",
    "..;",
    ".%2e",
    "%2e%2e/",
    "...",
    ".a",
  ],
  ...[
    "http:",
    "https:",
    "HTTP://",
    "http://",
    "https://",
    "http:/",
    "hTtps:\\\\",
    "ftp://",
    "file:///",
  ],
  ...[
    "mailto:",
    "javascript:",
    "data:,",
    "ws://",
    "tel:",
    "a:",
    "1:",
    "a+b:",
    "C:/",
    "java\nscript:",
  ],
  ...[
    "example.org",
    "EXAMPLE.org",
    "a.b",
    "h",
    "xn--bcher-kva",
    "xn--",
    "bücher.de",
    "a_b.c",
    "-a.b-",
  ],
  ...[
    "0x7f.1",
    "127.1",
    "2130706433",
    "127.0.0.1",
    "1.2.3.4.5",
    "256.1.1.1",
    "0",
    "a.0x",
    "a.09",
    "1a",
  ],
  ...["[::1]", "[::", "[1:2::3]", "..", "h.", ".h", "a..b", "h%41", "u@", "u:p@", "@", ":@"],
  ...[
    ":80",
    ":443",
    ":8080",
    ":080",
    ":0",
    ":",
    ":65535",
    ":65536",
    ":99999",
    ":a",
    ":8a",
    ":443443",
  ],
  ...[
    "?",
    "?a=b&c=d",
    "??",
    "?'",
    "?a/../b",
    "?\\",
    "#",
    "#f",
    "#?",
    "#/../",
    "path/to/page.html",
    "a%2eb",
  ],
];

/** Links made of the pieces above, from harmless to absurd. */
export const nastyLink: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 7 })
  .map((pieces) => pieces.join(""));

const word = fc.oneof(
  { weight: 15, arbitrary: fc.stringMatching(/^[a-zA-Z0-9_~-][a-zA-Z0-9._~-]{0,7}$/) },
  { weight: 1, arbitrary: fc.stringMatching(/^[.%a2eC]{0,4}$/) },
);
const path = fc.array(word, { maxLength: 5 }).map((words) => words.join("/"));
const host = fc
  .array(fc.stringMatching(/^[a-z0-9-]{1,6}$/), { minLength: 1, maxLength: 4 })
  .map((labels) => labels.join("."));
const tail = fc.constantFrom("", "?", "?a=1&b=2", "#top", "?q=%C3%A9#x", "/?x#", "?a'b");

/** Links as pages have them: absolute, protocol-relative, rooted, relative, dotted, query, fragment. */
export const ordinaryLink: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("http://", "https://", "//", "/", "./", "../", "../../", ""),
    host,
    fc.constantFrom("", ":8080", ":80", ":443"),
    path,
    tail,
  )
  .map(([start, name, port, rest, end]) =>
    start.endsWith("//") ? `${start}${name}${port}/${rest}${end}` : `${start}${rest}${end}`,
  );

/** All strings of up to `length` characters of an alphabet: what chance may miss, counting does not. */
export function* allStrings(alphabet: readonly string[], length: number): Generator<string> {
  yield "";
  if (length === 0) return;
  for (const rest of allStrings(alphabet, length - 1)) {
    if (rest.length < length - 1) continue;
    for (const first of alphabet) yield first + rest;
  }
  if (length > 1)
    for (const shorter of allStrings(alphabet, length - 1)) if (shorter) yield shorter;
}
