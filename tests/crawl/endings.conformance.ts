import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";
import { repeatEnding } from "./repeat-ending.ts";
import { scriptedServer } from "./scripted-server.ts";

test("a server that never answers holds up an interrupted crawl for some seconds only", async (t) => {
  let askedMs = 0;
  let ask = () => {};
  const isAsked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  let droppedMs = 0;
  const { origin } = await scriptedServer(t, {
    "/": (request) => {
      request.socket.once("close", () => {
        droppedMs = performance.now();
      });
      ask();
    },
  });
  const out = join(tempFolder(t), "out");
  const args = ["crawl", `${origin}/`, "--out", out, "--delay", "0", "--json"];
  const { code } = await orbweaver(args, (kill) => {
    void isAsked.then(() => {
      askedMs = performance.now();
      kill("SIGINT");
    });
  });
  assert.equal(code, 130);
  // Of the ten seconds that an end may take half are left for closing archives and for the reports.
  const waitedMs = droppedMs - askedMs;
  assert.ok(waitedMs > 4500 && waitedMs < 7500, `${waitedMs} ms`);
});

test("200 crawls in a row end, none too early, each within 200 ms of its last commit", async (t) => {
  const endings = (await repeatEnding(t, 200)).sort((a, b) => a - b);
  t.diagnostic(`median ${endings[100]} ms, longest ${endings.at(-1)} ms`);
  assert.ok(endings.at(-1)! <= 200, `${endings.at(-1)} ms`);
});
