import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { startCrawl } from "../faults/drill.ts";
import { root } from "../support/conformance.ts";
import { tempFolder } from "../support/orbweaver.ts";
import { html, type Script, scriptedServer } from "./scripted-server.ts";

const ENTRY = pathToFileURL(join(root, "build/tests/crawl/slow-archive.js")).href;
/** Larger bodies are also held back where they are received. */
const BODY_BYTES = 500 * 1024;
/** Pages of the small crawl fill both lanes of the buffer three times over; the large one has 280 more. */
const [FEW, MANY] = [120, 400];
const LINKS = 4;
/** What a collector of garbage may leave lying about; bodies that wait without bound would be 137 MiB more. */
const MAX_GROWTH_MIB = 40;

/** The most memory that a crawl of so many pages was in while its disk was slow. */
async function residentMiB(t: TestContext, pages: number): Promise<number> {
  const script: Record<string, Script[string]> = {
    "/": html(Array.from({ length: pages }, (_, i) => `<a href="/${i}">x</a>`).join("")),
  };
  for (let i = 0; i < pages; i++) {
    script[`/${i}`] = (_request, response) => {
      const body = Buffer.alloc(BODY_BYTES, String.fromCharCode(32 + (i % 90)));
      body.write(`page ${i}`);
      response.writeHead(200, { "content-type": "application/octet-stream" });
      response.end(body);
    };
  }
  const { origin } = await scriptedServer(t, script);
  const out = join(tempFolder(t), "out");
  const { code, stdout, stderr } = await startCrawl(
    [
      ...["crawl", `${origin}/`, "--out", out, "--delay", "0", "--json", "--quiet", "--no-robots"],
      ...["--accept", "any", "--warc-level", "0", "--threads", "2", "--no-traps"],
      ...["--links-per-thread", String(LINKS)],
    ],
    { NODE_OPTIONS: `--import ${ENTRY}`, ORBWEAVER_PAUSE_MS: "40" },
  ).ended;
  assert.equal(code, 0, stderr);
  const summary = JSON.parse(stdout);
  assert.equal(summary.pages, pages + 1);
  return summary.maxRssMiB;
}

// A crawler that heeds neither its buffer nor what is uncommitted grows by 105 MiB here.
test("a slow disk: however much comes, no more memory is taken than the buffers hold", async (t) => {
  const few = await residentMiB(t, FEW);
  const many = await residentMiB(t, MANY);
  t.diagnostic(`${few.toFixed(0)} MiB with ${FEW} pages, ${many.toFixed(0)} with ${MANY}`);
  assert.ok(many - few <= MAX_GROWTH_MIB, `${few} MiB became ${many}`);
});
