import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import * as fc from "fast-check";
import { isBlockedPort } from "../../src/url/blocked-port.ts";
import { canonicalize } from "../../src/url/crawl-url.ts";
import {
  authorityOf,
  hostnameOf,
  originOf,
  partsOf,
  serverOf,
  targetOf,
} from "../../src/url/url-parts.ts";
import { nastyLink, ordinaryLink } from "./links.ts";

test("cutting a canonical URL equals parsing it", () => {
  let compared = 0;
  const anyUrl = fc.oneof(
    ordinaryLink,
    nastyLink,
    nastyLink.map((rest) => `http://h:81/${rest}`),
    fc.ipV6().map((address) => `https://[${address}]:8443/?a:1`),
    fc.webUrl({ withQueryParameters: true }),
    fc
      .tuple(fc.ipV4(), fc.integer({ min: 1, max: 65535 }))
      .map(([ip, port]) => `http://${ip}:${port}`),
  );
  const property = fc.property(anyUrl, (link) => {
    const url = canonicalize(link, canonicalize("https://example.org:444/a/"));
    if (url === undefined) return;
    compared++;
    const parsed = new URL(url);
    const secure = parsed.protocol === "https:";
    assert.deepEqual(partsOf(url), {
      secure,
      hostname: parsed.hostname,
      port: parsed.port === "" ? (secure ? 443 : 80) : Number(parsed.port),
      target: url.slice(parsed.origin.length),
    });
    assert.equal(originOf(url), parsed.origin);
    const name = parsed.hostname.length > 1 ? parsed.hostname.replace(/\.$/, "") : parsed.hostname;
    assert.equal(hostnameOf(url), name);
    assert.equal(
      serverOf(url),
      parsed.origin.replace(parsed.hostname, () => name),
    );
    assert.equal(authorityOf(url), parsed.host);
  });
  fc.assert(property, { numRuns: 10_000 });
  assert.ok(compared > 5_000, `only ${compared} were URLs`);
});

test("neighbouring URLs of other servers are told apart, whichever came before", () => {
  const cases = [
    ["http://h.test/a?b", "h.test", "http://h.test", "h.test", 80, "/a?b"],
    ["http://h.test./a", "h.test", "http://h.test", "h.test.", 80, "/a"],
    ["http://h.test.:81/", "h.test", "http://h.test:81", "h.test.", 81, "/"],
    ["http://h.test:81/:82/", "h.test", "http://h.test:81", "h.test", 81, "/:82/"],
    ["https://h.test/", "h.test", "https://h.test", "h.test", 443, "/"],
    ["https://[::1]/", "[::1]", "https://[::1]", "[::1]", 443, "/"],
  ] as const;
  for (const before of cases)
    for (const [text, name, origin, hostname, port, target] of cases) {
      const url = canonicalize(text)!;
      hostnameOf(canonicalize(before[0])!);
      assert.deepEqual([hostnameOf(url), serverOf(url), targetOf(url)], [name, origin, target]);
      serverOf(canonicalize(before[0])!);
      assert.deepEqual(partsOf(url), { secure: url.startsWith("https"), hostname, port, target });
    }
});

test("the ports of the Fetch standard are blocked, and those of the web are not", () => {
  for (const port of [0, 21, 22, 25, 110, 143, 6000, 6667, 10080, 6379])
    assert.ok(isBlockedPort(port));
  for (const port of [80, 443, 3000, 8000, 8080, 8443, 9999, 65535])
    assert.ok(!isBlockedPort(port));
});

test("the blocked ports are those of undici's fetch, and three more", () => {
  const constants: { badPorts: string[] } = createRequire(import.meta.url)(
    "undici/lib/web/fetch/constants.js",
  );
  const bad = new Set(constants.badPorts.map(Number));
  const ours = Array.from({ length: 65536 }, (_, port) => port).filter(isBlockedPort);
  assert.deepEqual(
    ours.filter((port) => !bad.has(port)),
    [0, 6379, 11211],
  );
  assert.deepEqual(
    [...bad].filter((port) => !isBlockedPort(port)),
    [],
  );
});
