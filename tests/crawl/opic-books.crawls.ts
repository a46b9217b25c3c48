import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { orbweaver, readPages, tempFolder } from "../support/orbweaver.ts";
import { auditFolder, compareWithReference, QUIET, UNIT } from "./opic-books.ts";

test("crawls of random sites deal out cash exactly as the plain algorithm does, page by page", async (t) => {
  for (let seed = 10; seed < 16; seed++) await compareWithReference(t, seed, 80, 1000);
});

test("killed in the middle, resumed and finished: every coin is found each time, one unit per site", async (t) => {
  const web = await startWeb({ profile: { ...PROFILES.small, pages: 500, hosts: 6 } });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const journals = join(out, "state");
  const written = () =>
    existsSync(journals)
      ? readdirSync(journals, { recursive: true, encoding: "utf8" })
          .filter((name) => name.endsWith(".journal"))
          .reduce(
            (sum, name) =>
              sum + (statSync(join(journals, name), { throwIfNoEntry: false })?.size ?? 0),
            0,
          )
      : 0;
  const options = [
    "--delay",
    "0",
    "--threads",
    "2",
    "--links-per-thread",
    "4",
    "--exchange-size",
    "8",
  ];
  const crawl = ["crawl", ...web.start, "--out", out, ...QUIET, ...options, "--sync-every", "20ms"];
  const killed = await orbweaver(crawl, (kill) => {
    const look = () => (written() > 20_000 ? kill("SIGKILL") : setTimeout(look, 5));
    look();
  });
  assert.equal(killed.code, null, "the crawl ended before it was killed");
  const after = auditFolder(out);
  assert.equal(after.found, after.minted);
  assert.ok(after.minted >= UNIT);
  const resumed = await orbweaver(["resume", out, "--quiet", "--json"]);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(JSON.parse(resumed.stdout).pages, web.truth().reachable);
  const end = auditFolder(out);
  const sites = new Set(readPages(out).map(({ url }) => new URL(url).host)).size;
  assert.deepEqual(end, { minted: sites * UNIT, found: sites * UNIT, inBlocks: 0 });
});
