import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { canonicalize } from "../../src/url/crawl-url.ts";
import { Scope, type ScopeKind, type ScopeRules } from "../../src/url/scope.ts";
import { ordinaryLink } from "./links.ts";

function url(text: string) {
  const made = canonicalize(text);
  assert.ok(made, text);
  return made;
}

function scopeOf(rules: ScopeRules, ...seeds: string[]): Scope {
  const scope = new Scope(rules);
  for (const seed of seeds) scope.addSeed(url(seed));
  return scope;
}

const SEED = "https://docs.example.org/guide/intro.html?x=/a/b";
// Which scopes hold a URL, from the narrowest on.
const CASES: [string, ScopeKind[]][] = [
  [SEED, ["page", "prefix", "host", "domain", "any"]],
  ["https://docs.example.org/guide/intro.html", ["prefix", "host", "domain", "any"]],
  ["https://docs.example.org/guide/deep/er?q", ["prefix", "host", "domain", "any"]],
  ["http://docs.example.org/guide/", ["prefix", "host", "domain", "any"]],
  ["https://docs.example.org/guide", ["host", "domain", "any"]],
  ["https://docs.example.org/guidebook/", ["host", "domain", "any"]],
  ["https://docs.example.org/?/guide/", ["host", "domain", "any"]],
  ["http://docs.example.org/", ["host", "domain", "any"]],
  ["https://docs.example.org:8443/guide/", ["domain", "any"]],
  ["https://www.example.org/guide/", ["domain", "any"]],
  ["https://example.org/", ["domain", "any"]],
  ["https://example.org.evil.net/", ["any"]],
  ["https://notexample.org/", ["any"]],
];

for (const kind of ["page", "prefix", "host", "domain", "any"] as const) {
  test(`scope ${kind} holds what it promises`, () => {
    const scope = scopeOf({ kind }, SEED);
    for (const [link, kinds] of CASES) {
      assert.equal(
        scope.refusal(url(link)),
        kinds.includes(kind) ? undefined : "out_of_scope",
        link,
      );
    }
  });
}

test("a scope without seeds holds nothing, except any", () => {
  for (const kind of ["page", "prefix", "host", "domain"] as const) {
    assert.equal(scopeOf({ kind }).refusal(url(SEED)), "out_of_scope");
  }
  assert.equal(scopeOf({ kind: "any" }).refusal(url(SEED)), undefined);
});

test("every seed widens the scope, also later and through redirects", () => {
  const scope = scopeOf({ kind: "prefix" }, "http://h/a/b/", "http://h/c/d", "http://h/a/");
  for (const path of ["a/x", "a/b/x", "c/x"])
    assert.equal(scope.refusal(url(`http://h/${path}`)), undefined);
  assert.equal(scope.refusal(url("http://h/d/")), "out_of_scope");
  scope.addSeed(url("http://h/"));
  assert.equal(scope.refusal(url("http://h/d/")), undefined);
});

test("what lies beside a page in scope is in scope with it, whether or not its seed is known", () => {
  const page = url("https://www.b.test/docs/one.html");
  const links = [
    "https://www.b.test/docs/two",
    "https://www.b.test/",
    "https://m.b.test/docs/",
    "https://www.b.test:8443/docs/",
    "https://c.test/docs/",
  ].map(url);
  const beside = (kind: ScopeKind) => {
    const scope = new Scope({ kind, exclude: [/two$/] });
    scope.addSeed(url("https://a.test/"));
    assert.equal(scope.refusal(page), kind === "any" ? undefined : "out_of_scope");
    return links.map((link) => scope.refusal(link, page) ?? "yes").join();
  };
  const no = "out_of_scope";
  assert.equal(beside("page"), [no, no, no, no, no].join());
  assert.equal(beside("prefix"), ["excluded", no, no, no, no].join());
  assert.equal(beside("host"), ["excluded", "yes", no, no, no].join());
  assert.equal(beside("domain"), ["excluded", "yes", "yes", "yes", no].join());
});

test("addresses and ports are hosts of their own", () => {
  const scope = scopeOf({ kind: "domain" }, "http://127.0.0.1:8080/", "http://[::1]/");
  assert.equal(scope.refusal(url("http://127.0.0.1:9090/")), undefined);
  assert.equal(scope.refusal(url("http://[::1]:81/")), undefined);
  assert.equal(scope.refusal(url("http://127.0.0.2:8080/")), "out_of_scope");
  const host = scopeOf({ kind: "host" }, "http://h:8080/");
  assert.equal(host.refusal(url("https://h:8080/")), undefined);
  assert.equal(host.refusal(url("http://h/")), "out_of_scope");
});

test("include narrows, exclude wins, seeds need no include", () => {
  const rules = { kind: "host", include: [/\/blog\//, /\/news\//], exclude: [/\?print/] } as const;
  const scope = scopeOf(rules, "http://h/");
  assert.equal(scope.refusal(url("http://h/")), undefined);
  assert.equal(scope.refusal(url("http://h/blog/1")), undefined);
  assert.equal(scope.refusal(url("http://h/news/1")), undefined);
  assert.equal(scope.refusal(url("http://h/shop/1")), "out_of_scope");
  assert.equal(scope.refusal(url("http://h/blog/1?print")), "excluded");
  assert.equal(scope.refusal(url("http://other/blog/1")), "out_of_scope"); // include does not widen
  assert.equal(scopeOf(rules, "http://h/?print").refusal(url("http://h/?print")), "excluded");
});

test("expressions with the flags g and y answer the same every time, and keep the flag i", () => {
  const scope = scopeOf({ kind: "any", exclude: [/PDF$/giy, /zip$/g] });
  for (let round = 0; round < 3; round++) {
    assert.equal(scope.refusal(url("http://h/a.zip")), "excluded");
    assert.equal(scope.refusal(url("http://h/a.pdf")), "excluded");
    assert.equal(scope.refusal(url("http://h/a.html")), undefined);
  }
});

test("each kind of scope lies inside the next", () => {
  const kinds = ["page", "prefix", "host", "domain", "any"] as const;
  const property = fc.property(ordinaryLink, ordinaryLink, (one, other) => {
    const seed = canonicalize(one, url("http://a.example.org/x/y"));
    const link = canonicalize(other, seed);
    if (seed === undefined || link === undefined) return;
    const inside = kinds.map((kind) => {
      const scope = new Scope({ kind });
      scope.addSeed(seed);
      assert.equal(scope.refusal(seed), undefined);
      return scope.refusal(link) === undefined;
    });
    assert.deepEqual(inside, [...inside].sort(), `${link} from ${seed}`);
  });
  fc.assert(property, { numRuns: 3_000 });
});
