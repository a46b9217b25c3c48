import assert from "node:assert/strict";
import * as fc from "fast-check";
import { type CrawlUrl, canonicalize, canonicalizeSlowly } from "../../src/url/crawl-url.ts";
import { dedupKey } from "../../src/url/dedup-key.ts";
import { surtKey } from "../../src/url/surt.ts";
import { partsOf } from "../../src/url/url-parts.ts";
import { BASES, nastyLink, ordinaryLink } from "../url/links.ts";
import { claim, type FuzzTarget, linear } from "./target.ts";

const link = fc.oneof(nastyLink, ordinaryLink, fc.string({ unit: "binary" }), fc.webUrl());
const base: fc.Arbitrary<CrawlUrl | undefined> = fc.oneof(
  fc.constantFrom(...BASES.map((text) => canonicalizeSlowly(text)!), undefined),
  nastyLink.map((text) => canonicalizeSlowly(`http://h/${text}`)),
);

/** Links: the fast path is the parser, and what leaves is canonical and can be cut without parsing. */
export const urlTarget: FuzzTarget = {
  name: "url",
  open: () => ({
    parts: [
      {
        name: "fast-path",
        quick: true,
        property: claim(
          fc.property(link, base, (text, from) => {
            assert.equal(canonicalize(text, from), canonicalizeSlowly(text, from));
          }),
        ),
      },
      {
        name: "keys",
        quick: true,
        property: claim(
          fc.property(link, base, (text, from) => {
            const url = canonicalize(text, from);
            if (url === undefined) return;
            fc.pre(canonicalizeSlowly(url) === url); // see fixed-point
            const parsed = new URL(url);
            const { hostname, port, target, secure } = partsOf(url);
            assert.equal(hostname, parsed.hostname);
            assert.equal(String(port), parsed.port || (secure ? "443" : "80"));
            // An empty query is kept in the target, but URL does not show it.
            const shown = parsed.pathname + parsed.search;
            assert.ok(target === shown || target === `${shown}?`, `${target} ${shown}`);
            assert.match(surtKey(url), /^[!-~]+$/);
            // A key is a URL of the same page: to make it again changes nothing.
            const key = dedupKey(url);
            assert.equal(dedupKey(key as CrawlUrl), key);
          }),
        ),
      },
      {
        name: "fixed-point",
        quick: true,
        property: claim(
          fc.property(link, base, (text, from) => {
            const url = canonicalize(text, from);
            if (url !== undefined) assert.equal(canonicalizeSlowly(url), url);
          }),
        ),
      },
      {
        name: "linear",
        timed: true,
        property: linear(
          link,
          (text) => {
            canonicalize(text);
            canonicalize(`/${text}`, canonicalizeSlowly(BASES[0]));
            surtKey(`http://h/${text}?${text}`);
          },
          { characters: 200_000, cpuMs: 2000 },
        ),
      },
    ],
  }),
};
