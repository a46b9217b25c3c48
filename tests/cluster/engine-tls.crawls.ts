import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { freePort, PracticeRedis } from "../../src/web/practice-redis.ts";
import { startWeb } from "../../src/web/server.ts";
import { startCrawl } from "../faults/drill.ts";
import { noRedis, withClient } from "../support/engine/redis.ts";
import { readPages, tempFolder } from "../support/orbweaver.ts";

const USER = "spider";
const PASSWORD = "s3cret-of-the-engine";
/** What docs/cluster.md says a user needs. */
const RIGHTS = ["~orbweaver:*", "&orbweaver:*", "+@all", "-@dangerous", "+info"];

/** An authority, and a certificate for 127.0.0.1 that it has signed. */
function makeCertificates(folder: string) {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-days",
    "1",
    "-subj",
    "/CN=test authority",
    "-keyout",
    at("ca.key"),
    "-out",
    at("ca.crt"),
  );
  openssl(
    "req",
    ...key,
    "-subj",
    "/CN=engine",
    "-keyout",
    at("engine.key"),
    "-out",
    at("engine.csr"),
  );
  writeFileSync(at("names"), "subjectAltName=IP:127.0.0.1");
  openssl(
    ...["x509", "-req", "-in", at("engine.csr"), "-CA", at("ca.crt"), "-CAkey", at("ca.key")],
    ...["-CAcreateserial", "-days", "1", "-extfile", at("names"), "-out", at("engine.crt")],
  );
  return { authority: at("ca.crt"), certificate: at("engine.crt"), key: at("engine.key") };
}

/** A server that speaks TLS to others, and plainly to the test alone. */
async function secureEngine(t: TestContext) {
  const folder = tempFolder(t);
  const { authority, certificate, key } = makeCertificates(folder);
  const tlsPort = await freePort();
  const redis = await PracticeRedis.start({
    folder: join(folder, "redis"),
    args: [
      ...["--tls-port", String(tlsPort), "--tls-auth-clients", "no"],
      ...["--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", authority],
    ],
  });
  t.after(() => redis.kill());
  await withClient(redis.port, async (client) => {
    await client.call("ACL", "SETUSER", USER, "on", `>${PASSWORD}`, ...RIGHTS);
  });
  return { authority, redis, url: `rediss://127.0.0.1:${tlsPort}` };
}

/** All files below a folder. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test("an engine behind TLS and a password: crawled, collected, and its secret is nowhere", {
  skip: noRedis,
}, async (t) => {
  const { authority, redis, url } = await secureEngine(t);
  const web = await startWeb({ delayMs: 0 });
  t.after(() => web.close());
  const folder = tempFolder(t);
  const out = join(folder, "news-first");
  const secrets = { ORBWEAVER_ENGINE_USER: USER, ORBWEAVER_ENGINE_PASSWORD: PASSWORD };
  const env = { ...secrets, NODE_EXTRA_CA_CERTS: authority };
  const crawl = [
    ...["crawl", ...web.start, "--scope", "any", "--delay", "0", "--frontier", "engine"],
    ...["--engine", url, "--crawl", "news", "--out", out, "--debug"],
  ];
  const refused = async (environment: Record<string, string>, sentence: RegExp) => {
    const { code, stderr } = await startCrawl(crawl, environment).ended;
    assert.equal(code, 2, stderr);
    assert.match(stderr, sentence);
    assert.doesNotMatch(stderr, new RegExp(PASSWORD));
  };
  await refused(secrets, /cannot be reached: .*CERT.*NODE_EXTRA_CA_CERTS/);
  await refused(
    { ...env, ORBWEAVER_ENGINE_PASSWORD: "wrong" },
    /does not accept the name or password/,
  );

  const made = await startCrawl(crawl, env).ended;
  assert.equal(made.code, 0, made.stderr);
  assert.equal(readPages(out).length, (await web.truth()).reachable);
  const collected = await startCrawl(
    ["cluster", "collect", "news", "--engine", url, "--out", join(folder, "all")],
    env,
  ).ended;
  assert.equal(collected.code, 0, collected.stderr);
  // A password in the address works as well, and is taken out of it before anything is kept.
  const inside = url.replace("//", `//${USER}:${PASSWORD}@`);
  const joined = await startCrawl(
    ["worker", "--engine", inside, "--crawl", "news", "--out", join(folder, "news-second")],
    { NODE_EXTRA_CA_CERTS: authority },
  ).ended;
  assert.equal(joined.code, 0, joined.stderr);

  for (const said of [made, collected, joined])
    assert.doesNotMatch(said.stdout + said.stderr, new RegExp(PASSWORD));
  const files = [...filesIn(folder), ...filesIn(redis.folder)];
  assert.ok(files.some((file) => file.includes("appendonly")));
  const telling = files.filter((file) => readFileSync(file).includes(PASSWORD));
  assert.deepEqual(telling, []);
});
