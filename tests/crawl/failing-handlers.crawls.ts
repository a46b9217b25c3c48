import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { orbweaver, readLog, readPages, tempFolder } from "../support/orbweaver.ts";
import { html, type Script, scriptedServer } from "./scripted-server.ts";

const PAGES = 400;
const throws = (i: number) => i % 20 === 3;
/** Half of them by an endless loop, half by a promise that never settles. */
const hangs = (i: number) => i % 100 === 7;
const loops = (i: number) => i % 200 === 7;

test("a handler that throws on 5 % and hangs on 1 % of the pages: each has its code, the others are untouched", async (t) => {
  const numbers = Array.from({ length: PAGES }, (_, i) => i);
  const script: Script = {
    "/": html(numbers.map((i) => `<a href=/p${i}>${i}</a>`).join("")),
    ...Object.fromEntries(numbers.map((i) => [`/p${i}`, html(`page ${i}`)])),
  };
  const { origin } = await scriptedServer(t, script);
  const [module, out] = [join(tempFolder(t), "handler.mjs"), join(tempFolder(t), "out")];
  writeFileSync(
    module,
    `export default ({ page, push }) => {
      const i = Number(/p(\\d+)$/.exec(page.url)?.[1] ?? -1);
      push({ i, before: true });
      if (i >= 0 && i % 20 === 3) throw new Error("page " + i);
      if (i >= 0 && i % 200 === 7) for (;;);
      if (i >= 0 && i % 100 === 7) return new Promise(() => {});
      push({ i, before: false });
    };`,
  );
  const { code, stderr } = await orbweaver([
    ...["crawl", `${origin}/`, "--out", out, "--delay", "0", "--json", "--quiet", "--retries", "0"],
    ...["--handler", module, "--handler-timeout", "1s", "--threads", "2"],
  ]);
  assert.equal(code, 0, stderr);
  const log = readLog(out);
  assert.equal(log.length, PAGES + 1);
  const errors = new Map(log.map(({ url, error }) => [new URL(url).pathname, error]));
  for (const i of numbers) {
    const expected = throws(i)
      ? "handler_failed"
      : loops(i)
        ? "handler_hung"
        : hangs(i)
          ? "handler_timeout"
          : undefined;
    assert.equal(errors.get(`/p${i}`), expected, `/p${i}`);
  }
  const good = numbers.filter((i) => !throws(i) && !hangs(i));
  assert.equal(readPages(out).length, good.length + 1);
  const rows = readFileSync(join(out, "data/data.jsonl"), "utf8").trim().split("\n").sort();
  const expected = [-1, ...good].flatMap((i) =>
    [true, false].map((before) => JSON.stringify({ i, before })),
  );
  assert.deepEqual(rows, expected.sort());
});
