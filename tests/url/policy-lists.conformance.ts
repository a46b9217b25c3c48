import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { test } from "node:test";
import { canonicalize } from "../../src/url/crawl-url.ts";
import { type DedupPolicy, dedupKey, SAFE_DEDUP } from "../../src/url/dedup-key.ts";
import { conformanceJson, noConformance } from "../support/conformance.ts";
import {
  AGGRESSIVE_REASONS,
  explain,
  REASONS,
  type Reason,
  refusalReason,
} from "./policy-reasons.ts";

interface List {
  readonly file: string;
  readonly title: string;
  /** What is compared; without a policy the fetched URL itself. */
  readonly policy?: DedupPolicy;
  readonly reasons: readonly Reason[];
}

const AGGRESSIVE: DedupPolicy = {
  dropSessionIds: true,
  dropTracking: true,
  trailingSlash: "ignore",
};

const LISTS: readonly List[] = [
  {
    file: "safe_browsing_canonicalization",
    title: "Safe Browsing",
    policy: SAFE_DEDUP,
    reasons: REASONS,
  },
  {
    file: "urlcanon_semantic_precise",
    title: "urlcanon semantic",
    policy: SAFE_DEDUP,
    reasons: REASONS,
  },
  {
    file: "urlcanon_aggressive",
    title: "urlcanon aggressive",
    policy: AGGRESSIVE,
    reasons: AGGRESSIVE_REASONS,
  },
  { file: "urlcanon_supplemental_whatwg", title: "urlcanon WHATWG", reasons: REASONS },
  {
    file: "w3lib_canonicalize_url",
    title: "w3lib canonicalize_url",
    policy: SAFE_DEDUP,
    reasons: REASONS,
  },
  { file: "w3lib_safe_url_string", title: "w3lib safe_url_string", reasons: REASONS },
];

/** Some lists write the bytes of UTF-8 one by one; they mean the characters. */
function characters(text: string): string {
  const bytes = Buffer.from(text, "latin1");
  const isBytes = /[\x80-\xff]/.test(text) && !/[^\0-\xff]/.test(text) && isUtf8(bytes);
  return isBytes ? bytes.toString("utf8") : text;
}

for (const { file, title, policy, reasons } of LISTS) {
  test(`every deviation from ${title} has a reason`, { skip: noConformance }, (t) => {
    interface Case {
      input: string;
      canonical?: string;
      result?: string;
    }
    const counts = new Map<string, number>();
    const unexplained: unknown[] = [];
    let same = 0;
    let total = 0;
    for (const { input: written, canonical, result } of conformanceJson<Case[]>(
      `url/${file}.json`,
    )) {
      const theirs = canonical ?? result;
      if (theirs === undefined) continue;
      total++;
      const input = file.startsWith("urlcanon") ? characters(written) : written;
      const url = canonicalize(input);
      const ours = url === undefined || policy === undefined ? url : dedupKey(url, policy);
      if (ours === theirs) {
        same++;
        continue;
      }
      const refusal = ours === undefined ? refusalReason(input) : undefined;
      const why = ours === undefined ? refusal && [refusal] : explain(ours, theirs, reasons);
      if (why === undefined) unexplained.push({ input, theirs, ours });
      for (const name of why ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    t.diagnostic(`${title}: ${same} of ${total} the same`);
    for (const [name, count] of [...counts].sort(([, a], [, b]) => b - a))
      t.diagnostic(`${String(count).padStart(5)}  ${name}`);
    assert.ok(total > 0);
    assert.deepEqual(unexplained, []);
  });
}

test("a wrong canonical form would find no reason", () => {
  for (const [ours, theirs] of [
    ["http://h/a", "http://h/b"],
    ["http://h/a?x=1", "http://h/a?x=2"],
    ["http://h/a?x=1&y=2", "http://h/a?x=1"],
    ["http://h/A", "http://h/a"],
    ["http://h:81/", "http://h/"],
    ["http://h/a/b", "http://h/a%2Fc"],
    ["http://www.h/", "http://h/"],
  ] as const) {
    assert.equal(explain(ours, theirs, REASONS), undefined, `${ours} ${theirs}`);
  }
  assert.deepEqual(explain("http://h/a?b&a", "http://u@h/a?a&b#x", REASONS), [
    "fragment dropped",
    "credentials dropped",
    "order of parameters kept",
  ]);
  assert.equal(refusalReason("http://h/"), undefined);
});
