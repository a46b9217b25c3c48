import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { after, test } from "node:test";
import { dispatch } from "../../src/cli/dispatch.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-check-"));
after(() => rmSync(folder, { recursive: true }));

async function run(argv: string[], stdin = ""): Promise<string> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await dispatch(["check", ...argv], {
    stdin: Readable.from([stdin]),
    stdout,
    stderr,
    environment: {},
    now: () => 0,
  });
  assert.equal(code, 0);
  assert.equal(stderr.read(), null);
  return String(stdout.read());
}

test("check url tells what a link becomes and where it belongs", async () => {
  const argv = ["url", "../b/./c#top", "--base", "https://www.example.org:443/a/x"];
  const answer = JSON.parse(await run([...argv, "--json"]));
  assert.equal(answer.url, "https://www.example.org/b/c");
  assert.deepEqual(
    [answer.host, answer.port, answer.target, answer.site],
    ["www.example.org", 443, "/b/c", "example.org"],
  );
  assert.ok(answer.partition >= 0 && answer.partition < 1024 && answer.shard < 16);
  assert.match(await run(argv), /^URL +https:\/\/www\.example\.org\/b\/c$/m);
});

test("check url tells why a link is not fetched", async () => {
  assert.deepEqual(JSON.parse(await run(["url", "javascript:alert(1)", "--json"])), {
    input: "javascript:alert(1)",
    url: null,
    reason: "blocked_scheme",
  });
  assert.match(await run(["url", "//x"]), /^reason +bad_url: it is not a valid URL$/m);
  assert.match(await run(["url", "http://example.org:22/"]), /^reason +blocked_port: /m);
});

test("check scope judges every URL from the seeds", async () => {
  const urls = ["https://example.org/a", "https://other.example/"];
  const lines = (await run(["scope", ...urls, "--seed", "https://example.org/", "--json"]))
    .trim()
    .split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [
      { url: urls[0], inScope: true },
      { url: urls[1], inScope: false, reason: "out_of_scope" },
    ],
  );
  const excluded = ["scope", urls[0]!, "--seeds", "-", "--exclude", "/a$"];
  assert.match(
    await run(excluded, "https://example.org/\n"),
    /^in scope +no, excluded: it matches --exclude$/m,
  );
});

test("check robots names the deciding line", async () => {
  const file = join(folder, "robots.txt");
  writeFileSync(file, "User-agent: *\nDisallow: /private/\n");
  const answer = JSON.parse(
    await run(["robots", "https://example.org/private/x", "--file", file, "--json"]),
  );
  assert.deepEqual([answer.allowed, answer.line, answer.agent], [false, 2, "Orbweaver"]);
  assert.match(answer.rule, /Disallow: \/private\//);
  assert.match(
    await run(["robots", "https://example.org/private/x", "--file", file]),
    /^decided by +line 2: Disallow: \/private\/$/m,
  );
  assert.match(
    await run(["robots", "https://example.org/", "--file", "-"], "User-agent: *\nDisallow: /x\n"),
    /^allowed +yes$/m,
  );
});
