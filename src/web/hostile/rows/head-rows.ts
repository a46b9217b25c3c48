import type { Expected, Family, HostileCase } from "../case.ts";
import { links, page, raw, redirect, respond } from "../reply.ts";

const TOO_LARGE: Expected = { outcome: "failed", error: "headers_too_large" };
const TYPE = "Content-Type: text/html\r\nContent-Length: 0\r\n";

/** R10 and R11: heads that are too long, and cookies. */
export const heads: Family = ({ target, port }) => {
  const large = (row: string, name: string, serves: string, lines: () => string): HostileCase => ({
    row,
    name,
    serves,
    expected: [TOO_LARGE],
    closes: true,
    pages: { "/": (visit) => raw(`HTTP/1.1 200 OK\r\n${lines()}${TYPE}\r\n`)(visit) },
  });
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, i) => `X-${i}: y\r\n`).join("");
  const cookies = (count: number) =>
    Array.from({ length: count }, (_, i) => `Set-Cookie: c${i}=v${i}\r\n`).join("");
  const foreign = (name: string, serves: string, domain: string): HostileCase => ({
    row: "R11",
    name,
    serves,
    needs: "cookies",
    expected: [{ outcome: "page" }, { at: `http://${target}/r11-${name}`, outcome: "page" }],
    pages: {
      "/": (visit) =>
        page(`<a href="http://${target}/r11-${name}">x</a><a href=/own>y</a>`, {
          "Set-Cookie": `foreign-${name}=1; Domain=${domain}; Path=/`,
        })(visit),
      "/own": page(),
    },
  });
  const setting = (name: string, serves: string, values: readonly string[]): HostileCase => ({
    row: "R11",
    name,
    serves,
    needs: "cookies",
    expected: [{ outcome: "page" }, { at: "/second", outcome: "page" }],
    pages: {
      "/": (visit) => {
        const lines = values.map((value) => `Set-Cookie: ${value}\r\n`).join("");
        const body = "<a href=/second>x</a>";
        const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${lines}`;
        raw(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)(visit);
      },
      "/second": page(),
    },
  });
  return [
    large("R10", "many", "10,000 header lines", () => numbered(10_000)),
    large("R10", "one-more", "one line more than 100", () => numbered(99)),
    large("R10", "long-value", "one header of 1 MiB", () => `X: ${"y".repeat(1 << 20)}\r\n`),
    large("R10", "long-name", "a header name of 1 MiB", () => `${"X".repeat(1 << 20)}: y\r\n`),
    large(
      "R10",
      "folded",
      "one header on 10,000 lines",
      () => `X: y\r\n${" z\r\n".repeat(10_000)}`,
    ),
    {
      row: "R10",
      name: "long-reason",
      serves: "a reason phrase of 1 MiB",
      expected: [TOO_LARGE],
      closes: true,
      pages: { "/": raw(`HTTP/1.1 200 ${"O".repeat(1 << 20)}\r\n${TYPE}\r\n`) },
    },
    {
      row: "R10",
      name: "hundred",
      serves: "exactly 100 header lines",
      expected: [{ outcome: "page" }],
      pages: { "/": raw(`HTTP/1.1 200 OK\r\n${numbered(98)}${TYPE}\r\n`) },
    },
    large("R11", "many", "10,000 cookies", () => cookies(10_000)),
    large("R11", "long", "a cookie of 1 MiB", () => `Set-Cookie: a=${"b".repeat(1 << 20)}\r\n`),
    setting(
      "sixty",
      "60 cookies of 100 bytes, then a second page: 50 come back",
      Array.from({ length: 60 }, (_, i) => `c${i}=${"v".repeat(100)}`),
    ),
    setting("fat", "a cookie of 5,000 bytes beside a small one, which alone comes back", [
      `fat=${"v".repeat(5000)}`,
      "small=1",
    ]),
    {
      ...setting("named", "cookies for a public suffix, for another name and for its own site", [
        "suffix=1; Domain=test",
        "stranger=1; Domain=evil.test",
        "site=1; Domain=hostile.test",
      ]),
      entry: `http://named.hostile.test:${port}/`,
      names: {
        "named.hostile.test": (own, family) => ({ records: family === 4 ? [own] : [] }),
      },
      expected: [
        { outcome: "page" },
        { at: `http://named.hostile.test:${port}/second`, outcome: "page" },
      ],
    },
    foreign("other-host", "a cookie for another host", "127.66.0.2"),
    foreign("public-suffix", "a cookie for a public suffix", "test"),
    foreign("wide", "a cookie for a part of an address", "66.0.2"),
  ];
};

/** R12: redirects that lead nowhere. */
export const redirects: Family = () => {
  const nowhere = (name: string, serves: string, head: string): HostileCase => ({
    row: "R12",
    name,
    serves,
    expected: [{ outcome: "failed", error: "bad_redirect" }],
    pages: { "/": raw(`HTTP/1.1 302 Found\r\n${head}Content-Length: 0\r\n\r\n`) },
  });
  return [
    {
      row: "R12",
      name: "self",
      serves: "a redirect to itself",
      expected: [{ outcome: "failed", error: "redirect_loop" }],
      requests: 1,
      pages: { "/": redirect("/") },
    },
    {
      row: "R12",
      name: "self-fragment",
      serves: "a redirect to itself with a fragment, which no server ever sees",
      expected: [{ outcome: "failed", error: "redirect_loop" }],
      requests: 1,
      pages: { "/": redirect("/#again", 307) },
    },
    {
      row: "R12",
      name: "two",
      serves: "two pages that redirect to each other",
      expected: [{ outcome: "redirect" }, { at: "/b", outcome: "failed", error: "redirect_loop" }],
      requests: 1,
      pages: { "/": redirect("/b", 301), "/b": redirect("/", 308) },
    },
    {
      row: "R12",
      name: "thousand",
      serves: "1,000 redirects, all different",
      entry: "/0",
      expected: [
        { outcome: "redirect" },
        { at: "/9", outcome: "redirect" },
        { at: "/10", outcome: "failed", error: "too_many_redirects" },
        { at: "/11", outcome: "absent" },
      ],
      pages: { "*": redirect(({ path }) => `/${Number(path.slice(1)) + 1}`) },
    },
    {
      row: "R12",
      name: "growing",
      serves: "redirects whose query grows",
      expected: [
        { outcome: "redirect" },
        { at: `/?${"x".repeat(10)}`, outcome: "failed", error: "too_many_redirects" },
      ],
      pages: { "*": redirect(({ path }) => `/?${path.split("?")[1] ?? ""}x`) },
    },
    nowhere("empty", "an empty Location", "Location: \r\n"),
    nowhere("missing", "no Location at all", ""),
    nowhere("bare-cr", "a Location with a bare CR", "Location: /a\rSet-Cookie: x=y\r\n"),
    nowhere("folded", "a Location on two lines", "Location: /a\r\n /b\r\n"),
    nowhere("no-url", "a Location that is no URL", "Location: http://[::\r\n"),
    nowhere("bad-port", "a Location with port 99999", "Location: http://127.66.0.2:99999/\r\n"),
    nowhere("no-host", "a Location without a host", "Location: http://\r\n"),
    nowhere("too-long", "a Location of 10,000 characters", `Location: /${"x".repeat(10_000)}\r\n`),
    {
      row: "R12",
      name: "escaped-crlf",
      serves: "a Location with %0d%0a, which is a path like any other",
      expected: [{ outcome: "redirect" }, { at: "/a%0d%0aSet-Cookie:x=y", outcome: "page" }],
      pages: {
        "/": redirect("/a%0d%0aSet-Cookie:x=y"),
        "/a%0d%0aSet-Cookie:x=y": page(),
      },
    },
    {
      row: "R12",
      name: "list",
      serves: "300 Multiple Choices, which is no redirect",
      expected: [{ outcome: "failed", error: "http_300" }],
      pages: { "/": (visit) => respond(visit, 300, { Location: "/x" }, "choose") },
    },
    {
      row: "R12",
      name: "many-ways",
      serves: "20 links that all redirect to one page",
      expected: [{ outcome: "page" }, { at: "/one", outcome: "page" }],
      pages: {
        "/": links(Array.from({ length: 20 }, (_, i) => `/r${i}`)),
        "/one": page(),
        "*": redirect("/one"),
      },
    },
  ];
};
