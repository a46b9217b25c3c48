import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { PROFILES, type WebProfile } from "../../../src/web/profile.ts";
import { startWeb } from "../../../src/web/server.ts";
import { countsOf, crawlAll, type Found, fetchUrl } from "../tiny-crawler.ts";

const tiny = PROFILES.tiny;

async function crawled(profile: WebProfile, gzip = false, hostNames = true): Promise<Found> {
  const web = await startWeb({ profile, ...(hostNames && { hostNames: profile.hosts }) });
  try {
    const found = await crawlAll(web.start, web.port, gzip);
    const { start, hosts, pages, ...counts } = web.truth();
    assert.equal(pages, profile.pages);
    assert.equal(hosts.length, profile.hosts);
    assert.deepEqual(counts, countsOf(found));
    const report = web.report();
    assert.equal(report.pages, found.pages.size);
    assert.equal(report.repeated, 0);
    assert.equal(report.robotsViolations, 0);
    assert.equal(start.length, profile.hosts);
    return found;
  } finally {
    await web.close();
  }
}

test("the truth of a web is what an independent crawler finds, errors and robots.txt included", async () => {
  const found = await crawled(tiny);
  // The profile must hold a case of each kind, or nothing was shown.
  for (const [kind, count] of Object.entries(countsOf(found))) assert.ok(count > 0, kind);
});

test("the truth holds for any profile", async () => {
  const profiles = fc.record({
    seed: fc.nat(),
    hosts: fc.integer({ min: 1, max: 12 }),
    pages: fc.integer({ min: 12, max: 120 }),
    meanLinks: fc.integer({ min: 1, max: 12 }),
    crossHostShare: fc.constantFrom(0, 0.3, 1),
    minBytes: fc.constant(1024),
    maxBytes: fc.constantFrom(1024, 4096, 65_536),
    markup: fc.boolean(),
    latencyMs: fc.constant(0 as const),
    errorRate: fc.constantFrom(0, 0.2, 1),
    robots: fc.constantFrom("none" as const, "simple" as const, "strict" as const),
    encodings: fc.boolean(),
    chunkedShare: fc.constantFrom(0, 0.5, 1),
    redirectShare: fc.constantFrom(0, 0.3, 1),
  });
  await fc.assert(
    fc.asyncProperty(profiles, fc.boolean(), fc.boolean(), async (profile, gzip, names) => {
      await crawled(profile, gzip, names);
    }),
    { numRuns: 25 },
  );
});

test("the same seed gives the same bytes for every page, plain and gzipped, and another seed does not", async () => {
  const first = await crawled(tiny);
  const second = await crawled(tiny, true);
  assert.deepEqual([...second.pages.keys()], [...first.pages.keys()]);
  for (const [url, body] of first.pages) assert.deepEqual(second.pages.get(url), body, url);
  const other = await crawled({ ...tiny, seed: 2 });
  assert.notDeepEqual([...other.pages.keys()], [...first.pages.keys()]);
});

test("pages have the sizes of their profile, and every page has a text of its own", async () => {
  const found = await crawled({ ...tiny, errorRate: 0, minBytes: 2000, maxBytes: 300_000 });
  const sizes = [...found.pages.values()].map((body) => body.length);
  assert.ok(Math.min(...sizes) >= 2000 && Math.max(...sizes) <= 300_000, String(sizes));
  assert.ok(new Set(sizes).size > sizes.length / 2);
  assert.equal(new Set([...found.pages.values()].map(String)).size, found.pages.size);
});

test("pages with the markup of real ones compress like those, as they are sent too; plain text does not", async () => {
  const real = { ...PROFILES.real, pages: 12, meanLinks: 150, minBytes: 90_000, maxBytes: 110_000 };
  const ratios = async (profile: WebProfile): Promise<{ best: number; sent: number }> => {
    const web = await startWeb({ profile, hostNames: 1 });
    try {
      const headers = { "accept-encoding": "gzip" };
      const sent = (await fetchUrl(web.start[0]!, web.port, { headers })).body;
      const page = gunzipSync(sent);
      return { best: page.length / gzipSync(page).length, sent: page.length / sent.length };
    } finally {
      await web.close();
    }
  };
  const { best, sent } = await ratios(real);
  assert.ok(best > 5.5 && best < 8, `gzip -6: ${best}`);
  assert.ok(sent > 4.4 && sent < 8, `as sent: ${sent}`);
  assert.ok((await ratios({ ...real, markup: false })).best < 3.5);
});

test("a page larger than the socket's buffers arrives whole", async () => {
  const profile = {
    ...tiny,
    hosts: 1,
    pages: 4,
    errorRate: 0,
    minBytes: 4_000_000,
    maxBytes: 4_000_000,
  };
  const found = await crawled(profile);
  for (const body of found.pages.values()) assert.equal(body.length, 4_000_000);
});

test("HEAD gives the head of GET and counts no page", async () => {
  const web = await startWeb({ profile: { ...tiny, chunkedShare: 0 }, hostNames: 3 });
  try {
    const url = web.start[0]!;
    const head = await fetchUrl(url, web.port, { method: "HEAD" });
    assert.equal(web.report().pages, 0);
    const whole = await fetchUrl(url, web.port);
    assert.deepEqual(head.headers, whole.headers);
    assert.equal(head.body.length, 0);
    assert.equal(whole.body.length, Number(whole.headers["content-length"]));
    await fetchUrl(url, web.port);
    await fetchUrl(url, web.port);
    const { pages, repeated, answers, requests } = web.report();
    assert.deepEqual(
      { pages, repeated, answers, requests },
      { pages: 1, repeated: 1, answers: 3, requests: 4 },
    );
  } finally {
    await web.close();
  }
});

test("a web that cannot be made is refused with the reason", async () => {
  const refused: [Partial<WebProfile>, RegExp][] = [
    [{ hosts: 0 }, /hosts must be/],
    [{ pages: 2 }, /at least one page/],
    [{ errorRate: 1.5 }, /errorRate must be/],
    [{ minBytes: 20, maxBytes: 10 }, /minBytes must be/],
  ];
  for (const [change, reason] of refused) {
    await assert.rejects(startWeb({ profile: { ...tiny, ...change } }), {
      code: "OW_USAGE",
      message: reason,
    });
  }
  await assert.rejects(startWeb({ address: "0.0.0.0" }), /not a loopback/);
  await assert.rejects(startWeb({ dir: ".", graph: "x" }), /not both/);
  await assert.rejects(startWeb({ hostNames: ["Bad Name"] }), /not a host name/);
});
