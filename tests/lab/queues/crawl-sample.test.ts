import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { predictBatch } from "../../../src/lab/queues/batch-size.ts";
import { readCrawlSample } from "../../../src/lab/queues/crawl-sample.ts";
import { mergeParts } from "../../../src/store/finish/merge-parts.ts";
import { createCrawlFolder } from "../../../src/store/folder/create-folder.ts";
import { freshFolder, sampleBuilder, sampleCapture, url } from "../../store/sample-capture.ts";

// b.test/hub is linked most, a.test/1 has the most cash; c.test/ was linked to and never fetched.
const WEB: Record<string, readonly [cash: number, links: readonly string[]]> = {
  "http://a.test/1": [900, ["http://b.test/hub", "http://a.test/2"]],
  "http://a.test/2": [300, ["http://b.test/hub", "http://c.test/"]],
  "http://b.test/hub": [500, ["http://a.test/2"]],
};

function crawled(folder: string, hasCash: boolean): string {
  createCrawlFolder(folder);
  const builder = sampleBuilder(folder);
  for (const [page, [cash, links]] of Object.entries(WEB)) {
    const outlinks = links.map(url);
    builder.append(sampleCapture({ url: url(page), outlinks, ...(hasCash && { cash }) }));
  }
  builder.close();
  mergeParts(folder);
  return folder;
}

test("an earlier crawl becomes a sample: its links, its sites on their processors, its pages in order", (t) => {
  const folder = crawled(join(freshFolder(t), "crawl"), true);
  const sample = readCrawlSample(folder, { processors: 3, by: "opic" });
  const { graph, order, processorOf } = sample;
  assert.deepEqual([graph.offsets.length - 1, graph.targets.length, order.length], [4, 5, 3]);
  const linksOf = (page: number) =>
    graph.targets.slice(graph.offsets[page]!, graph.offsets[page + 1]!);
  const [one, hub, two] = order as unknown as [number, number, number]; // by cash: 900, 500, 300
  assert.deepEqual([...linksOf(one)].sort(), [hub, two].sort());
  assert.deepEqual([...linksOf(hub)], [two]);
  const never = [0, 1, 2, 3].find((page) => !order.includes(page))!;
  assert.deepEqual([...linksOf(two)].sort(), [hub, never].sort());
  assert.equal(linksOf(never).length, 0);
  assert.equal(processorOf[one], processorOf[two], "pages of one site have one owner");
  const byRank = readCrawlSample(folder, { processors: 3 }).order;
  assert.deepEqual([...byRank].sort(), [...order].sort());
  assert.equal(byRank.at(-1), one, "nobody links to the page with the most cash");
  assert.equal(predictBatch(sample, 100).supersteps, 0);
});

test("a crawl without cash has no order by cash, and a folder without a crawl no sample", (t) => {
  const folder = crawled(join(freshFolder(t), "crawl"), false);
  assert.equal(readCrawlSample(folder, { processors: 2 }).order.length, 3);
  const opic = () => readCrawlSample(folder, { processors: 2, by: "opic" });
  assert.throws(opic, { code: "OW_USAGE", message: /not crawled with --order opic/ });
  const nowhere = () => readCrawlSample(join(folder, "none"), { processors: 2 });
  assert.throws(nowhere, { code: "OW_USAGE" });
});

test("issue 16: nonsense is refused before anything is read", () => {
  const by = "cash" as "opic";
  assert.throws(
    () => readCrawlSample("none", { processors: 2, by }),
    /"pagerank" or "opic", not by cash/,
  );
  for (const processors of [0, 1.5, Number.NaN])
    assert.throws(() => readCrawlSample("none", { processors }), /at least one processor/);
});
