import assert from "node:assert/strict";
import * as fc from "fast-check";
import { parsePage } from "../../src/parse/page.ts";
import { canonicalize } from "../../src/url/crawl-url.ts";
import { malformedHtml } from "../parse/malformed-html.ts";
import { distinct, referenceLinks, scannedLinks } from "../parse/reference.ts";
import { claim, type FuzzTarget, linear } from "./target.ts";

const url = canonicalize("http://h/dir/page")!;

function agrees(html: string): void {
  const expected = distinct(referenceLinks(html));
  assert.deepEqual(distinct(scannedLinks(html)), expected, "quick");
  assert.deepEqual(distinct(scannedLinks(html, true)), expected, "tree");
}

/** Pages with a few characters changed, so that tokenizer states meet that no page has. */
const spoiled = fc
  .tuple(
    malformedHtml,
    fc.array(
      fc.tuple(
        fc.nat(600),
        fc.constantFrom("<", ">", "/", "!", "-", "=", '"', "'", "&", " ", "\0", "", "]", "a"),
      ),
      { maxLength: 5 },
    ),
  )
  .map(([html, changes]) => {
    let text = html;
    for (const [at, character] of changes)
      text = text.slice(0, at) + character + text.slice(at + 1);
    return text;
  });

/** The scanner of pages: the links of parse5, any bytes, linear in the page. */
export const scannerTarget: FuzzTarget = {
  name: "scanner",
  open: () => ({
    parts: [
      { name: "parse5", property: claim(fc.property(malformedHtml, agrees)) },
      { name: "parse5-spoiled", property: claim(fc.property(spoiled, agrees)) },
      {
        name: "any-bytes",
        property: claim(
          fc.property(
            fc.oneof(
              fc.uint8Array({ maxLength: 400 }),
              spoiled.map((html) => Buffer.from(html)),
            ),
            fc.option(fc.string({ unit: "binary-ascii" })),
            (bytes, type) => {
              const page = parsePage(bytes, url, type === null ? {} : { contentType: type });
              for (const text of [page.title, ...page.firstWords]) {
                assert.equal(text, Buffer.from(text, "utf8").toString("utf8"));
              }
              for (const link of page.links) assert.equal(canonicalize(link), link);
            },
          ),
        ),
      },
      {
        name: "linear",
        timed: true,
        property: linear(malformedHtml, (html) => parsePage(Buffer.from(html), url), {
          characters: 300_000,
          cpuMs: 2000,
        }),
      },
    ],
  }),
};
