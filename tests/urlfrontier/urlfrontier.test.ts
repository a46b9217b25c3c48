import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer, temporaryFolder } from "./client.ts";

const START_MS = 1_700_000_000_000;

/** A server whose time stands still until the test moves it. */
async function withClock(t: Parameters<typeof startServer>[0]) {
  let now = START_MS;
  const dir = temporaryFolder(t);
  const started = await startServer(t, dir, { nowMs: () => now });
  const seconds = (passed: number) => {
    now += passed * 1000;
  };
  return { ...started, seconds, now: () => now };
}

test("a URL is taken once, and again when nobody puts it back in time", async (t) => {
  const { client, seconds } = await withClock(t);
  assert.deepEqual(await client.discover("http://a.example/1", "http://a.example/2"), ["OK", "OK"]);
  assert.deepEqual(await client.discover("http://a.example/1"), ["SKIPPED"]);
  const both = ["http://a.example/1", "http://a.example/2"];
  assert.deepEqual(await client.take({ delay_requestable: 60 }), both);
  assert.deepEqual(await client.take(), []);
  seconds(59);
  assert.deepEqual(await client.take(), []);
  assert.deepEqual(await client.update(0, both[0]!), ["OK"]);
  seconds(1);
  assert.deepEqual(await client.take(), [both[1]]);
});

test("a URL with a date comes again at that date", async (t) => {
  const { client, seconds, now } = await withClock(t);
  await client.discover("http://a.example/1");
  assert.equal((await client.take()).length, 1);
  await client.update(now() / 1000 + 100, "http://a.example/1");
  seconds(99);
  assert.deepEqual(await client.take(), []);
  seconds(1);
  assert.deepEqual(await client.take(), ["http://a.example/1"]);
});

test("key, metadata, crawl and identifier come back", async (t) => {
  const { client } = await withClock(t);
  const metadata = { depth: { values: ["1"] }, __proto__x: { values: ["a", "b"] } };
  const info = { url: "http://a.example/", key: "mine", crawlID: "c1", metadata };
  const acks = await client.exchange("PutURLs", [
    { discovered: { info }, ID: "first" },
    { discovered: { info: { url: "http://b.example/" } } },
    { discovered: { info: { url: "not a URL" } }, ID: "bad" },
    { ID: "nothing" },
  ]);
  assert.deepEqual(
    acks.map(({ ID, status }) => [ID, status]),
    [
      ["first", "OK"],
      ["http://b.example/", "OK"],
      ["bad", "SKIPPED"],
      ["nothing", "SKIPPED"],
    ],
  );
  assert.deepEqual(await client.list("GetURLs", { crawlID: "c1" }), [info]);
  const [other] = await client.list("GetURLs", { anyCrawlID: {} });
  assert.deepEqual([other?.key, other?.crawlID], ["b.example", "DEFAULT"]);
});

test("PutDiscovered answers one status per URL", async (t) => {
  const { client } = await withClock(t);
  const items = ["http://a.example/1", "http://a.example/1", "::", "http://b.example/"];
  const batch = { ID: "b", items: items.map((url) => ({ url })) };
  assert.deepEqual(await client.exchange("PutDiscovered", [batch]), [
    { ID: "b", statuses: ["OK", "SKIPPED", "SKIPPED", "OK"] },
  ]);
});

test("queues take turns, and no more than asked for is out", async (t) => {
  const { client, seconds } = await withClock(t);
  const urls = ["a", "b", "c"].flatMap((host) =>
    [1, 2, 3].map((n) => `http://${host}.example/${n}`),
  );
  await client.discover(...urls);
  const two = { max_urls_per_queue: 1, max_queues: 2 };
  assert.deepEqual(await client.take(two), ["http://a.example/1", "http://b.example/1"]);
  assert.deepEqual(await client.take(two), ["http://c.example/1"]);
  assert.deepEqual(await client.take(two), []);
  await client.update(0, "http://b.example/1");
  assert.deepEqual(await client.take(two), ["http://b.example/2"]);
  seconds(30);
  assert.deepEqual(await client.take({ key: "c.example", max_urls_per_queue: 2 }), [
    "http://c.example/1",
    "http://c.example/2",
  ]);
});

test("delays, blocks, limits and activity hold", async (t) => {
  const { client, seconds, now } = await withClock(t);
  const urls = [1, 2, 3, 4, 5, 6].map((n) => `http://a.example/${n}`);
  await client.discover(...urls);
  const one = { max_urls_per_queue: 1, delay_requestable: 1000 };
  const next = async () => {
    const [url] = await client.take(one);
    if (url !== undefined) await client.update(0, url);
    return url;
  };
  await client.call("SetDelay", { delay_requestable: 5 });
  assert.equal(await next(), urls[0]);
  assert.equal(await next(), undefined);
  seconds(5);
  await client.call("SetDelay", { key: "a.example", delay_requestable: 10 });
  assert.equal(await next(), urls[1]);
  seconds(9);
  assert.equal(await next(), undefined);
  seconds(1);
  await client.call("BlockQueueUntil", { key: "a.example", time: now() / 1000 + 100 });
  assert.deepEqual((await client.call("ListQueues")).values, []);
  assert.deepEqual((await client.call("ListQueues", { include_inactive: true })).total, "1");
  assert.equal(await next(), undefined);
  await client.call("BlockQueueUntil", { key: "a.example" });
  assert.equal(await next(), urls[2]);
  seconds(10);
  await client.call("SetActive", { state: false });
  assert.deepEqual(await client.call("GetActive"), { state: false });
  assert.equal(await next(), undefined);
  assert.deepEqual(await client.discover("http://z.example/"), ["OK"]);
  await client.call("SetActive", { state: true });
  await client.call("SetCrawlLimit", { key: "a.example", limit: 4 });
  await client.call("DeleteQueue", { key: "z.example" });
  assert.equal(await next(), urls[3]);
  seconds(10);
  assert.equal(await next(), undefined, "four are done");
  await client.call("SetCrawlLimit", { key: "a.example" });
  assert.equal(await next(), urls[4]);
  await assert.rejects(client.call("SetCrawlLimit", { key: "none", limit: 1 }), { code: 5 });
});

test("statistics, lists and counts see every URL", async (t) => {
  const { client, now } = await withClock(t);
  await client.discover("http://a.example/Page", "http://a.example/2", "http://b.example/page");
  await client.take({ key: "a.example", max_urls_per_queue: 1 });
  await client.update(0, "http://b.example/page");
  assert.deepEqual(await client.call("GetStats"), {
    size: "2",
    inProcess: 1,
    counts: { completed: "1", active_queues: "1" },
    numberOfQueues: "2",
    crawlID: "DEFAULT",
  });
  assert.equal((await client.call("GetStats", { key: "b.example" })).size, "0");
  assert.equal((await client.call("CountURLs")).value, "3");
  assert.equal((await client.call("CountURLs", { filter: "page" })).value, "1");
  assert.equal((await client.call("CountURLs", { filter: "page", ignoreCase: true })).value, "2");
  const ids = async (request: object) =>
    (await client.list("ListURLs", request)).map(({ ID }) => ID as string);
  assert.deepEqual(await ids({ start: 1, size: 1 }), ["http://a.example/2"]);
  assert.deepEqual(await ids({ key: "b.example" }), ["http://b.example/page"]);
  const item = await client.call("GetURLStatus", { url: "http://b.example/page" });
  assert.equal((item.known as { refetchable_from_date: string }).refetchable_from_date, "0");
  assert.equal(item.creation_date, String(now() / 1000));
  await assert.rejects(client.call("GetURLStatus", { url: "http://c.example/" }), { code: 5 });
  const { values } = await client.call("ListNodes");
  assert.match(String(values), /^127\.0\.0\.1:\d+$/);
});

test("queues, crawls and old URLs can be deleted", async (t) => {
  const { client, seconds } = await withClock(t);
  await client.discover("http://a.example/1", "http://a.example/2", "http://b.example/1");
  await client.discover({ url: "http://a.example/1", crawlID: "other" });
  assert.deepEqual((await client.call("ListCrawls")).values, ["DEFAULT", "other"]);
  assert.equal((await client.call("DeleteQueue", { key: "a.example" })).value, "2");
  assert.deepEqual(await client.discover("http://a.example/1"), ["OK"], "it is not known any more");
  seconds(3 * 24 * 3600);
  await client.discover("http://a.example/9");
  assert.equal((await client.call("PurgeURLs", { days: 4 })).value, "0");
  assert.equal((await client.call("PurgeURLs", { days: 2 })).value, "2");
  assert.deepEqual(await client.take(), ["http://a.example/9"]);
  assert.equal((await client.call("DeleteCrawl", { value: "other" })).value, "1");
  assert.deepEqual((await client.call("ListCrawls")).values, ["DEFAULT"]);
});
