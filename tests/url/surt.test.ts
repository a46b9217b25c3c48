import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { stripPathSessionId } from "../../src/url/session-id.ts";
import { surtKey, surtKeySlowly } from "../../src/url/surt.ts";
import { conformanceJson, noConformance } from "../support/conformance.ts";
import { nastyLink } from "./links.ts";

test("keys are those of the archive tools", { skip: noConformance }, () => {
  const cases = conformanceJson<{ input: string; surt_key: string }[]>(
    "url/iipc_wayback_surt_keys.json",
  );
  for (const { input, surt_key } of cases) assert.equal(surtKey(input), surt_key, input);
  assert.equal(cases.length, 19);
});

test("keys are those of the surt library, but for DNS records", { skip: noConformance }, () => {
  const cases =
    conformanceJson<{ fn: string; input: string; expected: string }[]>("url/urlcanon_surt.json");
  // surt leaves "dns:archive.org" alone; webarchive-commons, whose list is the one above, reverses it.
  const keys = cases.filter(({ fn, input }) => fn === "defaultIASurt" && !input.startsWith("dns:"));
  for (const { input, expected } of keys) assert.equal(surtKey(input), expected, input);
  assert.equal(keys.length, 10);
});

test("session ids of the archive tools' list leave the path", { skip: noConformance }, () => {
  type Case = { fn: string; input: string; expected: string };
  const cases = conformanceJson<Case[]>("url/iipc_session_id_stripping.json");
  for (const { input, expected } of cases) assert.equal(stripPathSessionId(input), expected);
  assert.equal(cases.length, 3);
});

test("hosts, ports, paths and queries take their places in the key", () => {
  const keys = [
    ["http://www.Example.com:8080/A/?B=1#x", "com,example:8080)/a?b=1"],
    ["http://u:p@h:80/x//y/../z/", "h)/x/z"],
    ["https://h:443/", "h)/"],
    ["http://h:443/", "h:443)/"],
    ["http://www.www2.x.org/www.html", "org,x)/www.html"],
    ["http://h/?b=1&a-b=2&a=1&a", "h)/?a&a=1&a-b=2&b=1"],
    ["http://h/?a=1&PHPSESSID=0123456789abcdef0123456789abcdef&z", "h)/?a=1&z"],
    ["http://h/%2525%257E/%41?%2562", "h)/%25~/a?b"],
    ["http://[2001:db8::1]:8080/", "2001:db8::1:8080)/"],
    ["http://bücher.example/ü", "example,xn--bcher-kva)/%c3%bc"],
    ["http://host%23.com/", "com,host%23)/"],
  ];
  for (const [url, key] of keys) assert.equal(surtKey(url!), key);
});

test("every text has a key that fits one column of one line", () => {
  const anyText = fc.oneof(
    nastyLink,
    fc.string({ unit: "binary" }),
    nastyLink.map((s) => `http://h/${s}`),
  );
  const property = fc.property(anyText, (text) => {
    assert.match(surtKey(text), /^[!-~]+$/);
  });
  fc.assert(property, { numRuns: 10_000 });
});

test("escapes of escapes cost linear time and end unescaped", () => {
  assert.equal(surtKey(`http://h/%${"25".repeat(500_000)}41`), "h)/a");
});

test("control characters in the middle are not mistaken for those at the end, and cost linear time", () => {
  assert.equal(surtKey(" http://h/a\0 b\n "), "h)/a%00%20b");
  const middle = "\0".repeat(400_000);
  const before = process.cpuUsage();
  surtKey(`http://h/${middle}?`);
  const { user, system } = process.cpuUsage(before);
  // Some 50 ms; minutes when every one of them is tried as the beginning of the end.
  assert.ok(user + system < 20e6, `${(user + system) / 1e6} s`);
});

test("the fast path gives the same key", () => {
  const part = fc.string({ unit: fc.constantFrom(..."aZ0.-_~:@/%; ") });
  const plain = fc
    .array(fc.string({ unit: fc.constantFrom(..."a0.-_~") }))
    .map((segments) => segments.join("/"));
  const url = fc
    .tuple(fc.constantFrom("http", "https", "HTTP"), part, fc.oneof(plain, part))
    .map(([scheme, host, path]) => `${scheme}://${host}/${path}`);
  const argument = fc
    .tuple(fc.constantFrom("a", "B", "id", "jsessionid", "PHPSESSID"), fc.oneof(plain, part))
    .map(([name, value]) => `${name}=${value}`);
  const withQuery = fc
    .tuple(url, fc.array(argument, { maxLength: 3 }))
    .map(([text, given]) => `${text}?${given.join("&")}`);
  const property = fc.property(fc.oneof(url, withQuery, nastyLink), (text) => {
    assert.equal(surtKey(text), surtKeySlowly(text));
  });
  fc.assert(property, { numRuns: 5000 });
});
