import assert from "node:assert/strict";
import { test } from "node:test";
import { looksLikeHtml } from "../../src/parse/sniff.ts";

const CASES: [name: string, bytes: string, declared: boolean, undeclared: boolean][] = [
  ["a page", "<!doctype html><p>x", true, true],
  ["a page after a mark and white space", "\xef\xbb\xbf \r\n<html>", true, true],
  ["text", "hello", true, false],
  ["text before markup", "warning: line 3 <html>", true, false],
  ["nothing", "", true, false],
  ["UTF-16 with its mark", "\xff\xfe<\x00p\x00", true, true],
  ["UTF-16 without a mark", "<\x00p\x00>\x00", true, false],
  ["zip", "PK\x03\x04<a href=/x>", false, false],
  ["gzip", "\x1f\x8b\x08\x00", false, false],
  ["MP4", "\x00\x00\x00\x18ftypmp42<a>", false, false],
  ["WebM", "\x1aE\xdf\xa3\x01", false, false],
  ["MPEG", "\x00\x00\x01\xba", false, false],
  ["JPEG", "\xff\xd8\xff\xe0<", false, false],
  ["PDF", "%PDF-1.7 <a href=/x>", false, false],
  ["other binary", "\x00\x01\x02\x03 no markup", false, false],
  ["a less-than sign in binary", "<\x00\x01\x02", true, false],
  ["a comparison", "< 3", true, false],
];

for (const [name, bytes, declared, undeclared] of CASES) {
  test(`${name}: ${declared ? "parsed" : "not parsed"} as declared HTML, ${undeclared ? "parsed" : "not parsed"} without a type`, () => {
    const body = Buffer.from(bytes, "latin1");
    assert.deepEqual(
      [looksLikeHtml(body, true), looksLikeHtml(body, false)],
      [declared, undeclared],
    );
  });
}
