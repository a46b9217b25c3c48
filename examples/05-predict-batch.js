// Crawls a small web, then predicts from it how many pages four processors may fetch between two exchanges of links.
// Run: node examples/05-predict-batch.js
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crawl } from "orbweaver";
import { findBatchSize, predictBatch, readCrawlSample } from "orbweaver/lab";
import { startWeb } from "orbweaver/web";

const web = await startWeb();
const out = join(mkdtempSync(join(tmpdir(), "orbweaver-")), "crawl");
try {
  const rules = { scope: "any", delayMs: 0, order: "opic", allowPrivate: ["127.0.0.0/8"] };
  await crawl({ seeds: web.start, out, ...rules });
} finally {
  await web.close();
}

for (const by of ["pagerank", "opic"]) {
  const sample = readCrawlSample(out, { processors: 4, by });
  const loose = predictBatch(sample, 50); // exchange when a processor holds back more than 50 messages
  console.log(`${by}: tolerance 50 makes R = ${loose.batchSize}, error ${percent(loose.error)}`);
  const found = findBatchSize(sample, 0.05); // the largest tolerance with an average error below 5 %
  if (found === undefined) console.log(`${by}: every exchange would come too late`);
  else console.log(`${by}: below 5 % up to tolerance ${found.tolerance}, R = ${found.batchSize}`);
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}
