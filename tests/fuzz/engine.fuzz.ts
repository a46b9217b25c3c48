import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as fc from "fast-check";
import { openPageEngine, type PageEngine } from "../../src/page-engine/page-engine.ts";
import { pageEngine, parseByEngine } from "../../src/parse/engine/engine-page.ts";
import { ENGINE_TABLES } from "../../src/parse/engine/engine-tables.ts";
import { type ParseOptions, parseByReference } from "../../src/parse/page.ts";
import { canonicalize } from "../../src/url/crawl-url.ts";
import { agrees } from "../page-engine/agrees.ts";
import { linkPages, longPages, mutatedPages } from "../page-engine/mutated-pages.ts";
import { malformedHtml } from "../parse/malformed-html.ts";
import { root } from "../support/conformance.ts";
import { claim, type FuzzTarget, linear } from "./target.ts";

const URLS = [
  "http://h.example/",
  "http://h.example/a/b/c.html?x=1",
  "https://h.example:8443/p%20q/r",
  "http://127.0.0.1:81/a/",
  "http://h.example/e?",
].map((url) => canonicalize(url)!);

const TYPES = ["utf-8", "iso-8859-1", "shift_jis", "gbk", "koi8-r"].map(
  (charset) => `text/html; charset=${charset}`,
);

const options: fc.Arbitrary<ParseOptions> = fc.record({
  contentType: fc.constantFrom(...TYPES, undefined),
  feeds: fc.boolean(),
  skipNofollow: fc.boolean(),
  seedLow: fc.constantFrom(0, 0x12345678),
  seedHigh: fc.constantFrom(0, 0x9abcdef0),
});

/** The engine as it is shipped, and compiled without optimisation. */
function engines(folder: string): PageEngine[] {
  execFileSync(process.execPath, [join(root, "tools", "compile-engine.mjs"), folder, "0"]);
  const file = join(folder, "src", "page-engine", "page-engine.wasm");
  return [pageEngine()!, openPageEngine(ENGINE_TABLES, pathToFileURL(file))!];
}

/** The page engine: what the reference finds on every page that it does not leave to it. */
export const engineTarget: FuzzTarget = {
  name: "engine",
  open: () => {
    const folder = mkdtempSync(join(tmpdir(), "orbweaver-fuzz-"));
    const [fast, plain] = engines(folder);
    const same = (pages: fc.Arbitrary<Buffer>) =>
      claim(
        fc.property(pages, fc.constantFrom(...URLS), options, (page, url, rules) => {
          for (const engine of [fast!, plain!]) agrees(page, url, rules, engine);
        }),
      );
    return {
      parts: [
        { name: "malformed", property: same(malformedHtml.map((html) => Buffer.from(html))) },
        { name: "links", property: same(linkPages) },
        { name: "long", property: same(longPages) },
        { name: "mutated", property: same(mutatedPages) },
        { name: "any-bytes", property: same(fc.uint8Array({ maxLength: 300 }).map(Buffer.from)) },
        {
          name: "linear",
          timed: true,
          property: linear(
            malformedHtml,
            (html) => {
              const page = Buffer.from(html).subarray(0, 1 << 20);
              assert.ok(parseByEngine(page, URLS[0]!, {}) ?? parseByReference(page, URLS[0]!, {}));
            },
            { characters: 1_000_000, cpuMs: 3000 },
          ),
        },
      ],
      close: () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};
