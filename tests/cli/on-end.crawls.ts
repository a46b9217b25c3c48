import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { crawl } from "../../src/index.ts";
import { html, scriptedServer } from "../crawl/scripted-server.ts";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";

async function crawlWith(t: TestContext, ...args: string[]) {
  const { origin } = await scriptedServer(t, { "/": html("x") });
  const folder = tempFolder(t);
  const out = join(folder, "out");
  const all = ["crawl", `${origin}/`, "--out", out, "--delay", "0", "--json", ...args];
  return { folder, out, ...(await orbweaver(all)) };
}

/** A server that notes what it is sent. */
async function hook(t: TestContext, status: number | "hangs") {
  const seen: { request: IncomingMessage; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    seen.push({ request, body });
    if (status !== "hangs") response.writeHead(status, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  return { seen, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("a server gets the summary, with the login of its URL", async (t) => {
  const { seen, host } = await hook(t, 204);
  const { code, stdout, stderr, out } = await crawlWith(
    t,
    "--on-end",
    `http://me:pw@${host}/hook?x=1`,
  );
  assert.equal(code, 0);
  assert.doesNotMatch(stderr, /on-end/);
  assert.equal(seen.length, 1);
  const [{ request, body }] = seen as [(typeof seen)[0]];
  assert.deepEqual([request.method, request.url], ["POST", "/hook?x=1"]);
  assert.equal(request.headers["content-type"], "application/json");
  assert.equal(request.headers.authorization, `Basic ${Buffer.from("me:pw").toString("base64")}`);
  assert.deepEqual(JSON.parse(body), JSON.parse(stdout));
  assert.equal(JSON.parse(body).out, out);
  // For this run only: nothing of it is kept.
  assert.doesNotMatch(readFileSync(join(out, "state/crawl.json"), "utf8"), /hook|pw@/);
});

test("a failure of --on-end is told without secrets, and the crawl is what it is", async (t) => {
  for (const [status, reason] of [
    [500, /failed: it answered with status 500/],
    [302, /failed: it answered with status 302/],
    ["hangs", /failed: it took longer than 3 s/],
  ] as const) {
    const { seen, host } = await hook(t, status);
    const limit = status === "hangs" ? ["--on-end-timeout", "3s"] : [];
    const args = ["--on-end", `http://me:pw@${host}/`, "--quiet", ...limit];
    const { code, stderr, stdout } = await crawlWith(t, ...args);
    assert.equal(code, 0);
    assert.match(stderr, reason);
    assert.doesNotMatch(stderr, /pw/);
    assert.equal(JSON.parse(stdout).ended, "finished");
    assert.equal(seen.length, 1);
  }
});

test("a command gets the summary on standard input and as a file; what it prints is no result", async (t) => {
  const folder = tempFolder(t);
  const script = join(folder, "note.sh");
  writeFileSync(
    script,
    'cat > "$FOLDER/stdin"; cp "$1" "$FOLDER/file"; echo "$ORBWEAVER_ENDED $ORBWEAVER_OUT"',
  );
  process.env.FOLDER = folder;
  t.after(() => delete process.env.FOLDER);
  const { code, stdout, stderr, out } = await crawlWith(t, "--on-end", `sh ${script} "$1"`);
  assert.equal(code, 0);
  assert.match(stderr, new RegExp(`finished ${out}`));
  assert.deepEqual(JSON.parse(readFileSync(join(folder, "stdin"), "utf8")), JSON.parse(stdout));
  assert.equal(JSON.parse(readFileSync(join(folder, "file"), "utf8")).pages, 1);
});

test("a command that fails, or never ends, is told; a crawl that breaks is told to it", async (t) => {
  const failing = await crawlWith(t, "--on-end", "exit 3");
  assert.equal(failing.code, 0);
  assert.match(failing.stderr, /--on-end exit 3 failed: it ended with 3/);
  const started = Date.now();
  const hanging = await crawlWith(
    t,
    "--on-end",
    "sleep 600 & sleep 600",
    "--on-end-timeout",
    "300ms",
  );
  assert.equal(hanging.code, 0);
  assert.match(hanging.stderr, /failed: it took longer than 0\.3 s/);
  assert.ok(Date.now() - started < 60_000);
  const folder = tempFolder(t);
  const file = join(folder, "told");
  const taken = await orbweaver([
    "crawl",
    "http://127.0.0.1:1/",
    "--out",
    takenFolder(folder),
    "--on-end",
    `cat > ${file}`,
  ]);
  assert.equal(taken.code, 2);
  const told = JSON.parse(readFileSync(file, "utf8"));
  assert.deepEqual([told.ended, told.error.code], ["failed", "OW_FOLDER_TAKEN"]);
  assert.throws(() => crawl({ seeds: "http://127.0.0.1/", onEnd: "true" }), { code: "OW_USAGE" });
});

/** A folder with something in it. */
function takenFolder(folder: string): string {
  writeFileSync(join(folder, "x"), "");
  return folder;
}
