import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as fc from "fast-check";
import { canonicalize } from "../../src/url/crawl-url.ts";
import { type DedupPolicy, dedupKey, SAFE_DEDUP } from "../../src/url/dedup-key.ts";
import { root } from "../support/conformance.ts";
import { nastyLink } from "./links.ts";

// Stray percent signs beside escaped hex digits: decoding those would make an escape that nobody wrote.
const strayEscapes = fc
  .array(fc.constantFrom("%", "%3", "%36", "%31", "%25", "%2", "6", "a", "%41", "/", "?"), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(""));

const ALL: DedupPolicy = { dropSessionIds: true, dropTracking: true, trailingSlash: "ignore" };

function key(link: string, policy?: DedupPolicy): string {
  const url = canonicalize(link);
  assert.ok(url, link);
  return dedupKey(url, policy);
}

test("the safe policy merges what RFC 3986 calls equivalent, and nothing else", () => {
  assert.equal(key("http://h/a?"), "http://h/a");
  assert.equal(key("http://h/%7euser/%c3%a9%2Fx"), "http://h/~user/%C3%A9%2Fx");
  assert.equal(key("http://h/a%2eb/%2e%2e%2e?q=%41%3d"), "http://h/a.b/...?q=A%3D");
  assert.equal(key("http://h/%zz%4"), "http://h/%zz%4");
  assert.equal(key("http://h/%%36%31"), "http://h/%%36%31");
  const distinct = ["http://h/a", "http://h/a/", "http://h/A", "https://h/a", "http://h/a?b&a"];
  assert.equal(
    new Set([...distinct, "http://h/a?a&b", "http://h/a?utm_source=x"].map((u) => key(u))).size,
    7,
  );
});

test("session ids leave path and query when asked", () => {
  const policy = { ...SAFE_DEDUP, dropSessionIds: true };
  const id = "0123456789abcdef0123456789abcdef";
  assert.equal(key(`http://h/a;jsessionid=${id}/b?x=1`, policy), "http://h/a/b?x=1");
  assert.equal(key("http://h/(S(4hqa0555fwsecu455xqckv45))/a.aspx?x", policy), "http://h/a.aspx?x");
  assert.equal(key(`http://h/?PHPSESSID=${id}&x=1&sid=${id}`, policy), "http://h/?x=1");
  assert.equal(key("http://h/?CFID=1&CFTOKEN=2", policy), "http://h/");
  assert.equal(key("http://h/?sid=42&residsid=1", policy), "http://h/?sid=42&residsid=1");
});

test("tracking parameters leave the query when asked", () => {
  const policy = { ...SAFE_DEDUP, dropTracking: true };
  assert.equal(key("http://h/?utm_source=a&id=7&utm_medium=b&gclid=c", policy), "http://h/?id=7");
  assert.equal(key("http://h/?fbclid=x", policy), "http://h/");
  assert.equal(key("http://h/?%75tm_source=a&a", policy), "http://h/?a");
  assert.equal(key("http://h/?glid=1&autm_source=2&&", policy), "http://h/?glid=1&autm_source=2&&");
});

test("a slash at the end is ignored when asked, the root's never", () => {
  const policy: DedupPolicy = { ...SAFE_DEDUP, trailingSlash: "ignore" };
  assert.equal(key("http://h/a/?x=/", policy), "http://h/a?x=/");
  assert.equal(key("http://h/", policy), "http://h/");
});

test("a key is a URL that has the same key: nothing is left to merge", () => {
  const property = fc.property(
    fc.oneof(nastyLink, strayEscapes).map((rest) => canonicalize(`http://h/${rest}`)),
    fc.constantFrom(SAFE_DEDUP, { ...ALL, trailingSlash: "keep" } as const),
    (url, policy) => {
      if (url === undefined) return;
      const once = dedupKey(url, policy);
      assert.equal(dedupKey(canonicalize(once)!, policy), once);
    },
  );
  fc.assert(property, { numRuns: 10_000 });
});

test("the examples of docs/urls.md are true", () => {
  const text = readFileSync(join(root, "docs/urls.md"), "utf8");
  // Rows read: | `URL` | `key` | policy |
  const rows = [...text.matchAll(/^\| `(http[^`]+)` \| `(http[^`]+)` \| (\w+) \|/gm)];
  const policies: Record<string, DedupPolicy> = {
    safe: SAFE_DEDUP,
    sessions: { ...SAFE_DEDUP, dropSessionIds: true },
    tracking: { ...SAFE_DEDUP, dropTracking: true },
    slash: { ...SAFE_DEDUP, trailingSlash: "ignore" },
  };
  for (const [, url, expected, policy] of rows)
    assert.equal(key(url!, policies[policy!]), expected);
  assert.ok(rows.length >= 10);
});
