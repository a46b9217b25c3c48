import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { PROFILES } from "../../../src/web/profile.ts";
import { startWeb } from "../../../src/web/server.ts";
import { hostOfPage, makeGraph } from "../../../src/web/synthetic/graph.ts";
import { readGraphFile } from "../../../src/web/synthetic/graph-file.ts";
import { NumberNames, VariedNames } from "../../../src/web/synthetic/page-names.ts";
import { countsOf, crawlAll } from "../tiny-crawler.ts";

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "orbweaver-graph-"));
});
after(() => rmSync(folder, { recursive: true }));

test("in-degrees follow a power law, and links stay on their host as often as the profile says", () => {
  const graph = makeGraph({ ...PROFILES.small, hosts: 5 });
  const inDegrees = new Uint32Array(graph.pages);
  let cross = 0;
  for (let page = 0; page < graph.pages; page++) {
    for (let link = graph.offsets[page]!; link < graph.offsets[page + 1]!; link++) {
      const target = graph.targets[link]!;
      inDegrees[target]!++;
      if (hostOfPage(graph, page) !== hostOfPage(graph, target)) cross++;
    }
  }
  const links = graph.targets.length;
  assert.ok(Math.abs(links / graph.pages - 26) < 0.5, String(links));
  assert.ok(Math.abs(cross / links - 0.1) < 0.02, String(cross / links));
  assert.ok(inDegrees.every((degree, page) => degree > 0 || graph.firstOfHost.includes(page)));
  // Hill's estimator over the thousand most linked pages; 2.33 is what the draw should give.
  const top = inDegrees.sort().reverse().slice(0, 1000);
  const logs = top.reduce((sum, degree) => sum + Math.log(degree / top[999]!), 0);
  const exponent = 1 + 999 / logs;
  assert.ok(exponent > 1.9 && exponent < 2.8, String(exponent));
});

test("the same seed draws the same graph, another seed another", () => {
  const profile = PROFILES.tiny;
  assert.deepEqual(makeGraph(profile), makeGraph(profile));
  assert.notDeepEqual(makeGraph(profile).targets, makeGraph({ ...profile, seed: 9 }).targets);
});

test("a page has one name, and only that name leads to it", () => {
  fc.assert(
    fc.property(fc.nat(), fc.boolean(), fc.nat(99_999_999), (seed, closed, local) => {
      for (const names of [new VariedNames(seed, closed), new NumberNames()]) {
        const path = names.path(local);
        assert.equal(names.local(path), local);
        assert.equal(names.aliased(names.alias(local)), local);
        assert.equal(names.local(names.alias(local)), -1);
        assert.equal(new URL(path, "http://h").href, `http://h${path}`); // already canonical
        for (const wrong of [`${path}x`, `${path}/`, path.replace(/(\d)/, "0$1"), `/x${path}`]) {
          if (wrong !== path) assert.equal(names.local(wrong), -1, wrong);
        }
      }
    }),
  );
});

test("a graph file in text form becomes the same graph, plain and gzipped", async () => {
  const nodes = fc.integer({ min: 1, max: 40 });
  const graphs = nodes.chain((count) =>
    fc.array(fc.array(fc.nat(count - 1), { maxLength: 6 }), { minLength: count, maxLength: count }),
  );
  await fc.assert(
    fc.asyncProperty(graphs, fc.boolean(), fc.constantFrom("", "\n"), async (lines, gzip, end) => {
      const text = [lines.length, ...lines.map((line) => line.join(" "))].join("\n");
      // A last line that is empty needs its own end to be a line at all.
      const whole = text + (lines.at(-1)!.length === 0 ? "\n" : end);
      const name = join(folder, gzip ? "graph.txt.gz" : "graph.txt");
      writeFileSync(name, gzip ? gzipSync(whole) : whole);
      const graph = await readGraphFile(name, 1);
      assert.equal(graph.pages, lines.length);
      for (const [page, line] of lines.entries()) {
        const links = graph.targets.slice(graph.offsets[page], graph.offsets[page + 1]);
        assert.deepEqual([...links], line);
      }
    }),
    { numRuns: 60 },
  );
});

test("a graph file is served as it is, on one host and on several", async () => {
  const name = join(folder, "served.txt");
  // 0 -> 1, 2; 2 -> 3; 4 and 5 link to each other only.
  writeFileSync(name, "6\n1 2\n\n3\n\n5\n4\n");
  for (const [hosts, reachable] of [
    [1, 4],
    [2, 5],
  ] as const) {
    const web = await startWeb({ graph: name, hostNames: hosts });
    try {
      const found = await crawlAll(web.start, web.port);
      const ids = [...found.pages.keys()].map((url) => new URL(url).pathname).sort();
      assert.equal(ids[0], "/n/0");
      const { start, hosts: names, pages, ...counts } = web.truth();
      assert.deepEqual(counts, countsOf(found));
      assert.deepEqual([start.length, names.length, pages], [hosts, hosts, 6]);
      assert.ok(counts.reachable >= reachable, JSON.stringify([counts, ids]));
    } finally {
      await web.close();
    }
  }
});

test("a file that is no graph is refused with its line", async () => {
  const cases: [string, RegExp][] = [
    ["", /line 1: .*ends before/],
    ["x\n", /line 1: only numbers/],
    ["0\n", /line 1: the first line must be/],
    ["2 3\n\n\n", /line 1: the first line must be/],
    ["2\n1\n", /line 3: .*ends before/],
    ["2\n1\n2\n", /line 3: there is no node 2/],
    ["1\n\n0\n", /line 3: there are more lines/],
    ["99999999999\n", /line 1: the number is too large/],
  ];
  for (const [text, reason] of cases) {
    const name = join(folder, "bad.txt");
    writeFileSync(name, text);
    await assert.rejects(readGraphFile(name, 1), { code: "OW_USAGE", message: reason }, text);
  }
  await assert.rejects(readGraphFile(join(folder, "none.txt"), 1), /cannot be read/);
  writeFileSync(join(folder, "broken.gz"), gzipSync("3\n1\n2\n0\n").subarray(0, 15));
  await assert.rejects(readGraphFile(join(folder, "broken.gz"), 1), /cannot be read/);
});
