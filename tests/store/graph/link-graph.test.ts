import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { UsageError } from "../../../src/errors.ts";
import { lastFingerprint } from "../../../src/hash/fingerprint.ts";
import { urlFingerprint } from "../../../src/hash/url-fingerprint.ts";
import { Random } from "../../../src/lab/queues/pivot-random.ts";
import { PRINT_WORDS } from "../../../src/page-engine/packed-links.ts";
import { mergeParts } from "../../../src/store/finish/merge-parts.ts";
import { createCrawlFolder } from "../../../src/store/folder/create-folder.ts";
import { graphPaths } from "../../../src/store/folder/graph-facts.ts";
import { EDGE_WORDS, EdgeFile, readEdges } from "../../../src/store/graph/edge-file.ts";
import { openEdgeOrder } from "../../../src/store/graph/edge-order.ts";
import { finishGraph, LinkGraph } from "../../../src/store/graph/link-graph.ts";
import { sortBothWays, sortEdges } from "../../../src/store/graph/sort-edges.ts";
import { LinkList } from "../../../src/store/link-list.ts";
import { freshFolder, sampleBuilder, sampleCapture, url } from "../sample-capture.ts";

/** Writes pages with links through the builders of a crawl; the graph is not finished. */
function streamed(folder: string, pages: Record<string, string[]>, builders = 2): void {
  createCrawlFolder(folder);
  addPages(folder, pages, builders);
}

function addPages(folder: string, pages: Record<string, string[]>, builders = 2): void {
  const all = Array.from({ length: builders }, (_, thread) => sampleBuilder(folder, { thread }));
  for (const [i, [page, links]] of Object.entries(pages).entries())
    all[i % builders]!.append(sampleCapture({ url: url(page), outlinks: links.map(url) }));
  for (const builder of all) builder.close();
}

const WEB = {
  "http://h/a": ["http://h/b", "http://h/c", "http://x/"],
  "http://h/b": ["http://h/a", "http://h/c"],
  "http://h/c": ["http://h/c"],
  "http://h/none": [],
};

test("who links here: every edge is found from both ends", (t) => {
  const folder = join(freshFolder(t), "crawl");
  streamed(folder, WEB);
  assert.throws(() => new LinkGraph(folder), UsageError);
  mergeParts(folder);
  const graph = new LinkGraph(folder);
  const to = (page: string) => [...graph.linksTo(page)].sort();
  assert.deepEqual(to("http://h/c"), ["http://h/a", "http://h/b", "http://h/c"]);
  assert.deepEqual(to("http://x/"), ["http://h/a"]);
  assert.deepEqual(to("http://h/none"), []);
  assert.deepEqual(to("http://nobody/"), []);
  assert.deepEqual([...graph.linksFrom("http://h/a")].sort(), [...WEB["http://h/a"]].sort());
  assert.deepEqual(
    [graph.edges, graph.knows("http://x/"), graph.knows("http://y/")],
    [6, true, false],
  );
  graph.close();
  assert.deepEqual(readdirSync(join(folder, "links")).sort(), [
    "graph.json",
    "in.bin",
    "nodes.txt",
    "out.bin",
  ]);
  const { nodes, edges } = JSON.parse(readFileSync(graphPaths(folder).facts, "utf8"));
  assert.deepEqual([nodes, edges], [4, 6]);
});

test("links that come with prints make the same graph as those that do not", (t) => {
  const base = freshFolder(t);
  const [with_, without] = [join(base, "with"), join(base, "without")];
  const seeds = { seedLow: 0x89abcdef, seedHigh: 0x1234567 };
  for (const [folder, isPrinted] of [
    [with_, true],
    [without, false],
  ] as const) {
    createCrawlFolder(folder, undefined, seeds);
    const builder = sampleBuilder(folder);
    for (const [page, links] of Object.entries(WEB)) {
      const capture = sampleCapture({ url: url(page), outlinks: links });
      if (isPrinted) capture.outlinks = printed(capture.outlinks, links, seeds);
      builder.append(capture);
    }
    builder.close();
    finishGraph(folder);
  }
  for (const name of ["nodes.txt", "out.bin", "in.bin", "graph.json"])
    assert.deepEqual(
      readFileSync(join(with_, "links", name)),
      readFileSync(join(without, "links", name)),
      name,
    );
});

test("prints with other seeds are not used, and a graph of an earlier version goes on with its ids", (t) => {
  const folder = join(freshFolder(t), "crawl");
  createCrawlFolder(folder);
  const { facts } = graphPaths(folder);
  const { seedLow, seedHigh } = JSON.parse(readFileSync(facts, "utf8"));
  const links = ["http://h/b", "http://h/c"];
  for (const [version, given] of [
    [1, { seedLow, seedHigh }],
    [2, { seedLow: seedLow ^ 1, seedHigh }],
  ] as const) {
    writeFileSync(facts, JSON.stringify({ version, seedLow, seedHigh }));
    const builder = sampleBuilder(folder);
    const capture = sampleCapture({ url: url("http://h/a"), outlinks: links });
    capture.outlinks = printed(capture.outlinks, links, given);
    builder.append(capture);
    builder.close();
    finishGraph(folder);
    const graph = new LinkGraph(folder);
    assert.deepEqual([...graph.linksTo("http://h/c")], ["http://h/a"]);
    assert.deepEqual([...graph.linksFrom("http://h/a")].sort(), links);
    graph.close();
  }
});

/** The same links with the fingerprints that the page engine would give them. */
function printed(
  { lines, length }: LinkList,
  urls: readonly string[],
  seeds: { readonly seedLow: number; readonly seedHigh: number },
): LinkList {
  const words = new Uint32Array(1 + PRINT_WORDS * length);
  let end = -2;
  for (const [i, each] of urls.entries()) {
    urlFingerprint(each, seeds.seedLow, seeds.seedHigh);
    end += "\r\noutlink: ".length + each.length;
    words.set([lastFingerprint.low, lastFingerprint.high, end], 1 + PRINT_WORDS * i);
  }
  return LinkList.fromLines(lines, length, { ...seeds, words, from: 1 });
}

test("more of the crawl, pages seen twice and interrupted finishes give one graph", (t) => {
  const base = freshFolder(t);
  const folder = join(base, "crawl");
  streamed(folder, WEB);
  finishGraph(folder);
  addPages(folder, { ...WEB, "http://h/none": ["http://h/a"] });
  const before = join(base, "before");
  cpSync(join(folder, "links"), before, { recursive: true });
  finishGraph(folder);
  const content = () =>
    ["nodes.txt", "in.bin", "out.bin"].map((name) =>
      readFileSync(join(folder, "links", name), "hex"),
    );
  const good = content();
  const graph = new LinkGraph(folder);
  assert.deepEqual([graph.edges, [...graph.linksTo("http://h/a")].length], [7, 2]);
  graph.close();
  // As if the finish had been interrupted after any of its files: the parts are still there.
  for (const done of [0, 1, 2, 3]) {
    const names = ["nodes.txt", "in.bin", "out.bin"].slice(done);
    for (const name of readdirSync(before))
      if (name.endsWith(".part") || names.includes(name))
        cpSync(join(before, name), join(folder, "links", name));
    finishGraph(folder);
    assert.deepEqual(content(), good);
  }
});

test("an edge that was cut in two by a crash does not shift those that follow", (t) => {
  const folder = join(freshFolder(t), "crawl");
  streamed(folder, { "http://h/a": ["http://h/b"] }, 1);
  const part = join(folder, "links", "out-0.bin.part");
  writeFileSync(part, Buffer.concat([readFileSync(part), Buffer.alloc(7, 1)]));
  addPages(folder, { "http://h/b": ["http://h/c"] }, 1);
  finishGraph(folder);
  const graph = new LinkGraph(folder);
  assert.deepEqual([graph.edges, [...graph.linksTo("http://h/c")]], [2, ["http://h/b"]]);
  graph.close();
});

test("edges sort as a set, in runs of any size, and every first id is found (property)", (t) => {
  const folder = freshFolder(t);
  const word = fc.oneof(
    fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    fc.constantFrom(0, 1, 65535, 65536),
  );
  const edge = fc.tuple(word, word, word, word);
  const [input, out] = [join(folder, "input"), join(folder, "out")];
  fc.assert(
    fc.property(
      fc.array(edge, { maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      fc.boolean(),
      (edges, runEdges, reverse) => {
        writeFileSync(input, new Uint8Array(new Uint32Array(edges.flat()).buffer));
        const written = sortEdges([input], out, { runEdges, fanIn: 2, reverse });
        const turned = reverse ? edges.map(([a, b, c, d]) => [c, d, a, b]) : edges;
        const key = (e: readonly number[]) =>
          e.map((n) => n.toString(16).padStart(8, "0")).join("");
        const wanted = [...new Map(turned.map((e) => [key(e), e])).entries()].sort(([a], [b]) =>
          a < b ? -1 : 1,
        );
        const words = [...readEdges(out, 1000)].flatMap((piece) => [...piece]);
        assert.deepEqual(
          words,
          wanted.flatMap(([, e]) => e),
        );
        assert.equal(written * EDGE_WORDS, words.length);
        const file = new EdgeFile(out);
        for (const [, [high, low]] of wanted)
          assert.deepEqual(
            [...file.from(high!, low!)],
            wanted.filter(([, e]) => e[0] === high && e[1] === low).map(([, e]) => [e[2], e[3]]),
          );
        assert.deepEqual(
          [...file.from(7, 7)].length,
          wanted.filter(([, e]) => e[0] === 7 && e[1] === 7).length,
        );
        file.close();
      },
    ),
    { numRuns: 60 },
  );
  assert.deepEqual(readdirSync(folder).sort(), ["input", "out"]);
});

test("many edges, which are sorted by larger digits, come in the same order as few at a time", (t) => {
  const folder = freshFolder(t);
  const edges = 40_000;
  const random = new Random(20261116);
  // Each word is random in all its bits, or one of few: both digits of a word matter, and edges come twice.
  const words = Uint32Array.from({ length: edges * EDGE_WORDS }, () =>
    random.below(4) === 0 ? 65536 * random.below(3) + random.below(2) : random.below(2 ** 32 - 1),
  );
  words.copyWithin(0, words.length - 100 * EDGE_WORDS);
  const [input, whole, inRuns] = ["input", "whole", "in-runs"].map((name) => join(folder, name));
  writeFileSync(input!, new Uint8Array(words.buffer));
  const written = sortEdges([input!], whole!);
  assert.equal(written, sortEdges([input!], inRuns!, { runEdges: 5000 }));
  assert.ok(written < edges);
  assert.deepEqual(readFileSync(whole!), readFileSync(inRuns!));
  const [forward, backward] = [join(folder, "forward"), join(folder, "backward")];
  assert.equal(sortBothWays([input!], backward, forward), written);
  assert.deepEqual(readFileSync(forward), readFileSync(whole!));
  sortEdges([input!], whole!, { reverse: true });
  assert.deepEqual(readFileSync(backward), readFileSync(whole!));
});

test("edges are sorted in a memory of their own, and without its code as well", () => {
  assert.ok(openEdgeOrder(1), "the code was compiled");
  assert.equal(openEdgeOrder(1, new URL("./none.wasm", import.meta.url)), undefined);
  // 6 GB: more than such a memory can have.
  assert.equal(openEdgeOrder(2 ** 27), undefined);
});

test("both orders at once are those of two sorts, in memory and beyond it, also when the output is an input", (t) => {
  const folder = freshFolder(t);
  // Small words are shared by many ids: those whose high words are equal have to be told by their low ones.
  const word = fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.constantFrom(0, 1, 65536));
  const list = fc.array(fc.tuple(word, word, word, word), { maxLength: 40 });
  const names = ["part", "out", "in", "wanted-out", "wanted-in"];
  const [part, out, back, wantedOut, wantedIn] = names.map((name) => join(folder, name));
  fc.assert(
    fc.property(list, list, fc.constantFrom(1, 7, 1000), (earlier, edges, runEdges) => {
      const bytesOf = (some: number[][]) => new Uint8Array(new Uint32Array(some.flat()).buffer);
      writeFileSync(out!, bytesOf(earlier));
      writeFileSync(part!, bytesOf(edges));
      const written = sortEdges([out!, part!], wantedOut!);
      sortEdges([out!, part!], wantedIn!, { reverse: true });
      assert.equal(sortBothWays([out!, part!], back!, out!, { runEdges }), written);
      assert.deepEqual(readFileSync(out!), readFileSync(wantedOut!));
      assert.deepEqual(readFileSync(back!), readFileSync(wantedIn!));
    }),
    { numRuns: 100 },
  );
  assert.deepEqual(readdirSync(folder).sort(), [...names].sort());
});
