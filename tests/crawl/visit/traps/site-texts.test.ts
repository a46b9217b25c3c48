import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeVerdict, encodeVerdict } from "../../../../src/crawl/visit/traps/kept-verdict.ts";
import { SharedEvidence } from "../../../../src/crawl/visit/traps/shared-evidence.ts";
import { SiteTexts } from "../../../../src/crawl/visit/traps/site-texts.ts";
import { textOf } from "../../../../src/crawl/visit/traps/text-shingles.ts";
import type { CrawlUrl } from "../../../../src/url/crawl-url.ts";
import { hostnameOf } from "../../../../src/url/url-parts.ts";

const FRAME = Array.from(
  { length: 60 },
  (_, i) => `frame${"abcdefghij"[i % 10]}${"klmnop"[i % 6]}`,
);
const text = FRAME.join(" ");
const url = (name: string) => `http://${name}.trap.test/` as CrawlUrl;

/** A word that looks random and depends on its number alone. */
function word(n: number): string {
  let hash = Math.imul(n + 1, 0x9e3779b1) >>> 0;
  let letters = "";
  for (let i = 0; i < 6; i++, hash = Math.floor(hash / 26))
    letters += String.fromCharCode(97 + (hash % 26));
  return letters;
}

/** Reads pages of one site with several threads; how many were read before it was condemned. */
function read(
  page: (n: number) => string,
  limit: number,
  threads = 1,
): { readonly read: number; readonly watches: readonly SiteTexts[]; readonly told: string[] } {
  const shared = new SharedEvidence();
  const told: string[] = [];
  const onCondemned = (site: string) => told.push(site);
  const watches = Array.from({ length: threads }, () => new SiteTexts(shared, onCondemned));
  for (let n = 0; n < limit; n++) {
    const watch = watches[n % threads]!;
    const at = url(`host${n}`);
    if (watch.refuses(at, url(`host${n - 1}`))) return { read: n, watches, told };
    if (watch.wants(hostnameOf(at))) watch.add(at, textOf(Buffer.from(page(n)), at));
  }
  return { read: limit, watches, told };
}

test("the shingles of a text leave out title, links, numbers, dates and the words of the address", () => {
  const of = (html: string, at: string) => [...textOf(Buffer.from(html), at as CrawlUrl).shingles];
  const plain = of("<p>one two three four five six</p>", "http://a.test/");
  assert.equal(plain.length, 3);
  const dressed = of(
    "<title>New</title><script>x y z</script>one two 17 <a href=/b>other words</a>three monday four 2nd walnut chair five six",
    "http://a.test/walnut-chair",
  );
  assert.deepEqual(dressed, plain);
  assert.notDeepEqual(of("one two three five four six", "http://a.test/"), plain);
  assert.deepEqual(of("<a>one <b two three", "http://a.test/"), []);
});

test("hostile markup costs no more than its length", () => {
  const started = process.cpuUsage();
  for (const piece of ["<a", "<a>", "<", "<script>", "</a", "a "])
    textOf(Buffer.from(piece.repeat(40_000)), "http://a.test/" as CrawlUrl);
  assert.ok(process.cpuUsage(started).user < 2_000_000);
});

test("a site of subdomains with one text is condemned soon after 4,000 pages, by one thread or four", () => {
  for (const threads of [1, 4]) {
    const found = read((n) => `<title>${word(n)}</title>${text} ${n}`, 6000, threads);
    assert.ok(found.read >= 4000 && found.read < 4200, `${found.read} pages`);
    for (const watch of found.watches) {
      assert.equal(watch.isCondemned("trap.test"), true);
      assert.equal(watch.refuses(url("later"), url("host5")), true);
      assert.equal(watch.refuses("http://other.test/" as CrawlUrl, url("host5")), false);
      assert.equal(watch.refuses(url("later"), undefined), false, "a seed is always visited");
    }
    assert.deepEqual(found.told, ["trap.test"]);
  }
});

test("some changed words make no text of its own, a sentence does", () => {
  const changed = (n: number) => `${word(n)} ${word(-n)} ${text}`;
  assert.ok(read(changed, 6000).read < 4300);
  const sentence = (n: number) => Array.from({ length: 30 }, (_, i) => word(n * 30 + i)).join(" ");
  assert.equal(read((n) => `${text} ${sentence(n)}`, 12_000).read, 12_000);
});

test("pages that quote more or less of a stock of texts are honest", () => {
  const stock = Array.from({ length: 2000 }, (_, i) => word(i))
    .join(" ")
    .split(" ");
  const quote = (n: number) => stock.slice(0, 100 + ((n * 7919) % 1800)).join(" ");
  assert.equal(read(quote, 12_000).read, 12_000);
});

test("short texts prove nothing", () => {
  assert.equal(read(() => "Index of name size server at port", 12_000).read, 12_000);
  assert.equal(read(() => "", 12_000).read, 12_000);
});

test("on a condemned site, what a page with a text of its own leads to is visited", () => {
  const { watches } = read(() => text, 6000);
  const watch = watches[0]!;
  const honest = url("honest");
  assert.equal(watch.wants(hostnameOf(honest)), true);
  const own = Array.from({ length: 40 }, (_, i) => word(7_000_000 + i)).join(" ");
  watch.add(honest, textOf(Buffer.from(own), honest));
  assert.equal(watch.refuses(url("next"), honest), false);
  assert.equal(watch.refuses(url("next"), url("host9")), true);
});

test("a verdict is remembered as bytes, and one of a later version is ignored", () => {
  for (const family of [undefined, "/a b/*", ""]) {
    const verdict = { reason: "trap_calendar", place: "xn--bcher-kva.test", family } as const;
    assert.deepEqual(decodeVerdict(encodeVerdict(verdict)), verdict);
  }
  assert.equal(decodeVerdict(Buffer.from("trap_of_tomorrow a.test")), undefined);
  const watch = new SiteTexts(new SharedEvidence(), () => assert.fail("only new ones are told"));
  watch.condemn("trap.test");
  assert.equal(watch.refuses(url("a"), url("b")), true);
});
