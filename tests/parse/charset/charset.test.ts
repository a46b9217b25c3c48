import assert from "node:assert/strict";
import { test } from "node:test";
import { TextDecoder } from "node:util";
import fc from "fast-check";
import { charsetOf, decodeText } from "../../../src/parse/charset/charset.ts";
import { CHARSET_LABELS } from "../../../src/parse/charset/charset-labels.ts";
import { parseContentType } from "../../../src/parse/charset/content-type.ts";
import { charsetByLabel } from "../../../src/parse/charset/meta-prescan.ts";
import { conformanceJson, noConformance } from "../../support/conformance.ts";

test("the byte order mark outranks the header, the header outranks the meta element", () => {
  const meta = '<meta charset="koi8-r">';
  assert.equal(charsetOf(Buffer.from(`\ufeff${meta}`), "text/html;charset=gbk"), "utf-8");
  assert.equal(charsetOf(Buffer.from([0xfe, 0xff, 0, 0x3c]), "text/html;charset=gbk"), "utf-16be");
  assert.equal(charsetOf(Buffer.from(meta), 'text/html; charset="GB2312"'), "gbk");
  assert.equal(charsetOf(Buffer.from(meta), "text/html; charset=../../x"), "koi8-r");
  assert.equal(charsetOf(Buffer.from(meta)), "koi8-r");
  assert.equal(charsetOf(Buffer.from("")), "windows-1252");
});

test("the beginning of the page before decides only as far as it was read", () => {
  const cut = '<meta content="text/html; charset=koi8-r" http-equiv="content-type"';
  assert.equal(charsetOf(Buffer.from(cut)), "koi8-r");
  assert.equal(charsetOf(Buffer.from(`${cut} charset=gbk>`)), "gbk");
  const first = "<title>1</title><meta charset=gbk>";
  assert.equal(charsetOf(Buffer.from(first)), "gbk");
  assert.equal(charsetOf(Buffer.from(`${first}<meta charset=koi8-r>`)), "gbk");
  assert.equal(charsetOf(Buffer.from(first.slice(0, -1))), "windows-1252");
  assert.equal(charsetOf(Buffer.from("<title>2</title><meta charset=koi8-r>")), "koi8-r");
});

test("charsets outside the table never reach a decoder (P6)", () => {
  for (const label of ["utf-7", "../../x", "utf-32", "cesu-8", "__proto__", "utf-8\0"]) {
    assert.equal(charsetOf(Buffer.from("x"), `text/html;charset=${label}`), "windows-1252");
    assert.equal(decodeText(Buffer.from([0x80]), label), "\u20ac");
  }
  // UTF-16 without a byte order mark cannot be declared by a meta element.
  assert.equal(charsetOf(Buffer.from("<meta charset=utf-16le>")), "utf-8");
});

test("the label table is the one of the platform, where the platform knows the encoding", () => {
  const unknown = new Set(["iso-8859-16", "replacement", "x-user-defined"]);
  assert.equal(CHARSET_LABELS.size, 228);
  for (const [label, name] of CHARSET_LABELS) {
    if (unknown.has(name)) continue;
    assert.equal(new TextDecoder(label).encoding, name, label);
  }
});

test("decoded text is always valid Unicode and never an exception", () => {
  const names = [...new Set(CHARSET_LABELS.values())];
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(...names), (bytes, charset) => {
      const text = decodeText(bytes, charset);
      assert.equal(Buffer.from(text, "utf8").toString("utf8"), text);
    }),
    { numRuns: 1000 },
  );
});

test("windows-1252 is not ISO-8859-1", () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const text = decodeText(all, "windows-1252");
  assert.equal(text.length, 256);
  assert.equal(text.slice(0x80, 0x84), "\u20ac\x81\u201a\u0192");
  assert.equal(text.charCodeAt(0x9f), 0x178);
  assert.equal(text.charCodeAt(0xe9), 0xe9);
});

test("html5lib encoding sniffing", { skip: noConformance }, () => {
  interface Case {
    body_b64: string;
    encoding: string;
  }
  for (const { body_b64, encoding } of conformanceJson<Case[]>(
    "html/html5lib_encoding_sniff.json",
  )) {
    const body = Buffer.from(body_b64, "base64");
    const label = charsetByLabel(encoding) ?? encoding;
    assert.equal(charsetOf(body), label, body.toString("latin1").slice(0, 200));
  }
});

test("Content-Type headers of the web platform tests", { skip: noConformance }, () => {
  interface Case {
    contentType: string[];
    encoding: string | null;
    documentContentType: string;
  }
  for (const { contentType, encoding, documentContentType } of conformanceJson<Case[]>(
    "html/wpt_content_type_headers.json",
  )) {
    const parsed = parseContentType(contentType.join(", "));
    const charset = parsed?.charset === undefined ? undefined : charsetByLabel(parsed.charset);
    assert.equal(charset, encoding?.toLowerCase(), contentType.join(", "));
    assert.equal(parsed?.essence, documentContentType, contentType.join(", "));
  }
});

test("charsets of the web platform's MIME types", { skip: noConformance }, () => {
  interface Case {
    input: string;
    output: string | null;
    encoding?: string | null;
  }
  const cases = conformanceJson<(Case | string)[]>("html/wpt_mime_types.json");
  let compared = 0;
  for (const item of cases) {
    if (typeof item === "string" || item.encoding === undefined) continue;
    const charset = parseContentType(item.input)?.charset;
    const known = charset === undefined ? undefined : charsetByLabel(charset);
    assert.equal(known, item.encoding?.toLowerCase(), JSON.stringify(item.input));
    compared++;
  }
  assert.ok(compared >= 24, `${compared}`);
});

test("only a value that begins with a quote is quoted, and blanks cost linear time", () => {
  const charsets: [string, string | undefined][] = [
    ['text/html;charset= "x;charset=gbk', ' "x'],
    ['text/html;charset="a;b\\"c"d;x', 'a;b"c'],
    ["text/html;;;charset;charset=;charset=utf-8 ", "utf-8"],
    ["text/html; x=y; CHARSET=a; charset=b", "a"],
    ["text/html; charset =a", undefined],
    ['text/html; charset=""; charset=b', ""],
  ];
  for (const [header, charset] of charsets)
    assert.equal(parseContentType(header)?.charset, charset, header);
  const startMs = performance.now();
  for (const filler of [" ", ";", "=", '"', "\\", ",", "a=;"])
    parseContentType(`text/html;charset=x${filler.repeat(300_000)}y`);
  assert.ok(performance.now() - startMs < 5000);
});
