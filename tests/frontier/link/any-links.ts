import fc from "fast-check";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import { VIAS } from "../../../src/frontier/via.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

// Origins that begin alike, or differ in scheme and port only.
const ORIGINS = [
  "http://a.example",
  "https://a.example",
  "http://a.example:81",
  "http://a.example.org",
  "http://a.exampl",
];
const url = fc
  .tuple(fc.constantFrom(...ORIGINS), fc.stringMatching(/^[!-~]{0,300}$/))
  .map(([origin, path]) => `${origin}/${path}` as CrawlUrl);
const page = fc.record({
  parent: fc.option(url, { nil: undefined }),
  depth: fc.integer({ min: 0, max: 0xffffffff }),
  via: fc.constantFrom(...VIAS),
  seed: fc.boolean(),
  chain: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    fc.array(fc.stringMatching(/^[0-9a-f]{16}$/), { maxLength: 3 }),
    fc.array(fc.stringMatching(/^[0-9a-f]{16}$/), { minLength: 100, maxLength: 101 }),
  ),
  urls: fc.array(url, { minLength: 1, maxLength: 8 }),
});

/** The links of some pages, those of one page side by side. */
export const anyLinks: fc.Arbitrary<Discovery[]> = fc
  .array(page, { minLength: 1, maxLength: 8 })
  .map((pages) =>
    pages.flatMap(({ urls, ...rest }) => urls.map((one): Discovery => ({ url: one, ...rest }))),
  );

/** Numbers in place of fingerprints, extremes among them. */
export const lowOf = (i: number) => (i % 2 === 0 ? i : 0xffffffff - i);
export const highOf = (i: number) => (0x80000000 + i) >>> 0;
