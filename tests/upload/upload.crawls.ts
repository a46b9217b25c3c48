import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { loadS3 } from "../../src/upload/load-s3.ts";
import { ObjectStore } from "../../src/upload/object-store.ts";
import { uploadFolder } from "../../src/upload/upload-folder.ts";
import { html, type Script, scriptedServer } from "../crawl/scripted-server.ts";
import { MAIN, orbweaver, tempFolder } from "../support/orbweaver.ts";
import { type S3Server, startS3 } from "../support/s3-server.ts";

Object.assign(process.env, { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "secret" });

const PAGES = 20;
const SITE: Script = {
  "/": html(Array.from({ length: PAGES }, (_, i) => `<a href=/p${i}>${i}</a>`).join("")),
  ...Object.fromEntries(Array.from({ length: PAGES }, (_, i) => [`/p${i}`, html(`p ${i}`)])),
};

async function finished(t: TestContext): Promise<string> {
  const { origin } = await scriptedServer(t, SITE);
  const out = join(tempFolder(t), "out");
  const { code } = await orbweaver([
    "crawl",
    `${origin}/`,
    "--out",
    out,
    "--delay",
    "0",
    "--quiet",
  ]);
  assert.equal(code, 0);
  return out;
}

async function upload(dir: string, server: S3Server, partBytes = 1 << 20) {
  const store = new ObjectStore({ s3: await loadS3(), bucket: "b", endpoint: server.endpoint });
  try {
    return await uploadFolder(dir, store, { prefix: "x/y", partBytes });
  } finally {
    store.close();
  }
}

/** Every object is its file, and the list names them all. */
function checkObjects(dir: string, { objects }: S3Server): void {
  const list = JSON.parse(objects.get("x/y/upload.json")!.body.toString());
  assert.deepEqual(
    [...objects.keys()].sort(),
    [...list.objects.map(({ name }: { name: string }) => `x/y/${name}`), "x/y/upload.json"].sort(),
  );
  for (const { name } of list.objects)
    assert.deepEqual(objects.get(`x/y/${name}`)!.body, readFileSync(join(dir, name)), name);
  assert.ok(list.objects.some(({ name }: { name: string }) => name.startsWith("archive/")));
  assert.ok(list.objects.some(({ name }: { name: string }) => name === "pages/pages.jsonl"));
}

test("a crawl is uploaded, compared, and sent once", async (t) => {
  const dir = await finished(t);
  const server = await startS3(t);
  const args = ["upload", dir, "s3://bucket/x/y/", "--endpoint", server.endpoint, "--json"];
  const first = await orbweaver(args);
  assert.equal(first.code, 0, first.stderr);
  checkObjects(dir, server);
  const told = JSON.parse(first.stdout);
  assert.equal(told.files, server.objects.size - 1);
  assert.equal(told.sentFiles, told.files);
  const again = JSON.parse((await orbweaver(args)).stdout);
  assert.deepEqual([again.files, again.sentFiles, again.sentBytes], [told.files, 0, 0]);
  // What has changed is sent again, and nothing else.
  writeFileSync(join(dir, "note.txt"), "mine");
  const third = JSON.parse((await orbweaver(args)).stdout);
  assert.deepEqual([third.files, third.sentFiles], [told.files + 1, 1]);
  checkObjects(dir, server);
});

test("an upload that breaks off goes on with the parts that are there", async (t) => {
  const dir = await finished(t);
  writeFileSync(join(dir, "big.bin"), Buffer.alloc(1_000_000, "abcdefgh"));
  const server = await startS3(t);
  server.failFrom = 8;
  await assert.rejects(upload(dir, server, 100_000));
  assert.equal(server.objects.has("x/y/upload.json"), false);
  server.failFrom = Number.POSITIVE_INFINITY;
  const before = server.asked.length;
  const begun = [...server.uploads.values()].find(({ key }) => key === "x/y/big.bin");
  const parts = begun?.parts.size ?? 0;
  assert.ok(parts > 0 && parts < 10, `${parts} parts`);
  await upload(dir, server, 100_000);
  checkObjects(dir, server);
  const sent = server.asked.slice(before).filter((line) => line === "PUT part x/y/big.bin").length;
  assert.equal(sent, 10 - parts);
});

test("what a server damages is noticed, with and without digests of its own", async (t) => {
  const dir = await finished(t);
  writeFileSync(join(dir, "big.bin"), Buffer.alloc(300_000, "x"));
  for (const forgetsDigests of [false, true]) {
    const server = await startS3(t);
    Object.assign(server, { forgetsDigests, damages: true });
    await assert.rejects(upload(dir, server, 100_000), { code: "OW_UPLOAD" });
    assert.equal(server.objects.has("x/y/upload.json"), false);
    server.damages = false;
    server.objects.clear();
    await upload(dir, server, 100_000);
    checkObjects(dir, server);
  }
});

test("parts of another file of that name do not survive", async (t) => {
  const dir = await finished(t);
  const server = await startS3(t);
  const big = join(dir, "big.bin");
  writeFileSync(big, Buffer.alloc(300_000, "old"));
  server.failFrom = 8;
  await assert.rejects(upload(dir, server, 100_000));
  server.failFrom = Number.POSITIVE_INFINITY;
  writeFileSync(big, Buffer.alloc(300_000, "new"));
  await upload(dir, server, 100_000);
  checkObjects(dir, server);
});

test("a crawl that runs, a folder without one, and a missing package are refused in a sentence", async (t) => {
  const server = await startS3(t);
  const { origin } = await scriptedServer(t, { "/": () => {} });
  const out = join(tempFolder(t), "out");
  const crawling = spawn(process.execPath, [
    MAIN,
    "crawl",
    `${origin}/`,
    "--out",
    out,
    "--delay",
    "0",
  ]);
  t.after(() => crawling.kill("SIGKILL"));
  await once(crawling.stderr, "data");
  const at = (dir: string) =>
    orbweaver(["upload", dir, "s3://bucket/x", "--endpoint", server.endpoint]);
  const running = await at(out);
  assert.equal(running.code, 2);
  assert.match(running.stderr, /is crawling in/);
  const none = await at(tempFolder(t));
  assert.equal(none.code, 2);
  assert.match(none.stderr, /holds no crawl/);
  assert.equal(server.asked.length, 0);
  await assert.rejects(
    loadS3(() => Promise.reject(new Error("not found"))),
    {
      code: "OW_USAGE",
      message: /npm install @aws-sdk\/client-s3/,
    },
  );
  const wrong = await orbweaver(["upload", out, "gs://bucket/x"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /takes a crawl folder and a place/);
});
