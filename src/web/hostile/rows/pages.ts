import type { Expected, Family, HostileCase } from "../case.ts";
import { bytes, links, once, page, redirect, respond } from "../reply.ts";

type Answer = NonNullable<HostileCase["pages"]>[string];

const HOME: Expected = { outcome: "page" };
const LAST: Expected = { at: "/last", outcome: "page" };

/** P1 to P3: pages that cost too much to read. */
export const markup: Family = () => {
  const heavy = (
    row: string,
    name: string,
    serves: string,
    body: () => string,
    expected: readonly Expected[] = [HOME, LAST],
  ): HostileCase => ({
    row,
    name,
    serves,
    expected,
    pages: {
      "/": bytes(once(() => Buffer.from(`<!doctype html><title>t</title>${body()}`))),
      "/last": page(),
    },
  });
  const last = "<a href=/last>x</a>";
  const read: Expected[] = [{ outcome: "page", error: ["", "parse_budget", "body_too_large"] }];
  return [
    heavy("P1", "divs", "20,000 nested div", () => "<div>".repeat(20_000) + last),
    heavy("P1", "lists", "512 KB of nested lists", () => "<ul><li>".repeat(65_536) + last),
    heavy("P1", "tables", "50,000 tables inside each other", () => "<table><tr><td>".repeat(50_000) + last),
    heavy("P1", "formatting", "100,000 elements that format text, never closed", () => "<b><i><u>".repeat(33_000) + last),
    heavy("P1", "svg", "50,000 nested svg elements", () => "<svg><g>".repeat(25_000), [HOME]),
    heavy("P1", "misnested", "40,000 misnested elements in a table", () => `<table>${"<a><b><div></a></b>".repeat(8000)}`, [HOME]),
    heavy("P2", "scripts", "200,000 times <script>", () => "<script>".repeat(200_000), read),
    heavy("P2", "comment", "a comment of 8 MB without an end", () => `<!--${"-<!--".repeat(1_600_000)}`, read),
    heavy("P2", "attribute", "an attribute of 10 MB", () => `<a href="${"x".repeat(10_000_000)}">`, read),
    heavy("P2", "attributes", "a million attributes", () => `<a ${Array.from({ length: 1_000_000 }, (_, i) => `a${i}=b`).join(" ")}>`, read),
    heavy("P2", "less-than", "8 MB of <", () => "<".repeat(8_000_000), read),
    heavy("P2", "entities", "8 MB of half references", () => `<a href="${"&am".repeat(2_600_000)}">`, read),
    heavy("P2", "moved", "links by the hundred thousand that a table moves out", () => "<table><a href=/last>".repeat(300_000), [
      { outcome: "page", error: ["", "parse_budget"] },
    ]),
    {
      ...heavy("P3", "million", "a million links", () => {
        const parts: string[] = [];
        for (let i = 0; i < 1_000_000; i++) parts.push(`<a href=/l/${i}>`);
        return parts.join("");
      }),
      expected: [{ outcome: "page", error: "body_too_large", truncated: "length" }],
      apart: true,
    },
    {
      ...heavy("P3", "dense", "as many links as fit 10 MB", () => {
        const parts: string[] = [];
        for (let i = 0; i < 800_000; i++) parts.push(`<a href=${i.toString(36)}>`);
        return parts.join("");
      }),
      expected: [{ outcome: "page", error: ["", "body_too_large"] }],
      apart: true,
    },
  ];
};

/** P6 to P10: pages that say strange things. */
export const words: Family = ({ canary, target }) => {
  const charset = (
    name: string,
    serves: string,
    type: string,
    body: Buffer,
    title: string,
  ): HostileCase => ({
    row: "P6",
    name,
    serves,
    expected: [{ outcome: "page", title }],
    pages: { "/": bytes(body, { "Content-Type": type }) },
  });
  const secret = "hunter2";
  const strange: [string, Expected][] = [
    [`/${"a".repeat(1_000_000)}`, { outcome: "skipped", error: "url_too_long" }],
    ["http://127.66.0.2:99999/", { outcome: "skipped", error: "bad_url" }],
    ["http://127.66.0.2:-1/", { outcome: "skipped", error: "bad_url" }],
    ["http://xn--/p8", { outcome: "skipped", error: "bad_url" }],
    ["http://[::1/p8", { outcome: "skipped", error: "bad_url" }],
    ["http://a b/p8", { outcome: "skipped", error: "bad_url" }],
    ["http://%00/p8", { outcome: "skipped", error: "bad_url" }],
    ["http://256.1.1.1/p8", { outcome: "skipped", error: "bad_url" }],
  ];
  const garbage = "http://xn--a-.hostile.test/p8";
  const odd = ["/%00", "/\u202egnp.exe", "/\u0000x", "/%zz", "/%", "/a%2fb", "/;x", "/\ud800"];
  const trail = [`http://u:${secret}@${target}/p9-link`, `http://${secret}@${target}/p9-user`];
  return [
    charset("utf-7", "UTF-7", "text/html; charset=utf-7", Buffer.from("<title>+ADw-b+AD4-</title>"), "+ADw-b+AD4-"),
    charset("path", "a charset that looks like a path", "text/html; charset=../../x", Buffer.from("<title>caf\xe9</title>", "latin1"), "caf\u00e9"),
    charset("utf-16", "UTF-16 without a mark, by its header", "text/html; charset=utf-16le", Buffer.from("<title>sixteen</title>", "utf16le"), "sixteen"),
    charset("bom", "UTF-8 with a mark against its header", "text/html; charset=windows-1252", Buffer.from("\ufeff<title>caf\u00e9</title>"), "caf\u00e9"),
    charset("surrogates", "lone surrogates", "text/html; charset=utf-16le", Buffer.from("<title>a\ud800b</title>", "utf16le"), "a\ufffdb"),
    charset("broken", "bytes that are no UTF-8", "text/html; charset=utf-8", Buffer.from("<title>a\xff\xfeb</title>", "latin1"), "a\ufffd\ufffdb"),
    charset("long", "a charset of 8,000 letters", `text/html; charset=${"x".repeat(8000)}`, Buffer.from("<title>caf\xe9</title>", "latin1"), "caf\u00e9"),
    {
      row: "P7",
      name: "file",
      serves: "a base of file:///",
      expected: [HOME, { at: "p7-file", outcome: "skipped", error: "blocked_scheme" }],
      pages: { "/": page('<base href="file:///"><a href="p7-file">x</a>') },
    },
    {
      row: "P7",
      name: "private",
      serves: "a base on a private host",
      expected: [HOME, { at: "http://10.0.0.1/p7", outcome: "refused", error: "blocked_private_address" }],
      pages: { "/": page('<base href="http://10.0.0.1"><a href="p7">x</a>') },
    },
    {
      row: "P7",
      name: "here",
      serves: "a base on this machine",
      expected: [HOME, { at: `http://${canary}/p7`, outcome: "refused", error: "blocked_private_address" }],
      pages: { "/": page(`<base href="//${canary}/x/"><a href="../p7">x</a>`) },
    },
    {
      row: "P8",
      name: "links",
      serves: "links that cannot be followed: too long, bad ports, bad names",
      expected: [HOME, { at: garbage, outcome: "failed", error: "dns_not_found" }, ...strange.map(([link, expected]): Expected => ({ ...expected, at: link.slice(0, 200) }))],
      pages: { "/": links([garbage, ...strange.map(([link]) => link)]) },
    },
    {
      row: "P8",
      name: "odd",
      serves: "links with NUL, text direction marks, broken escapes and half characters",
      expected: [HOME, { at: "/%00", outcome: "page" }, { at: "/%E2%80%AEgnp.exe", outcome: "page" }, { at: "/%zz", outcome: "page" }],
      pages: { "/": links(odd), "*": page() },
    },
    {
      row: "P9",
      name: "link",
      serves: "links with a user and a password",
      expected: [HOME, { at: `http://${target}/p9-link`, outcome: "page" }, { at: `http://${target}/p9-user`, outcome: "page" }],
      pages: { "/": links(trail) },
    },
    {
      row: "P9",
      name: "redirect",
      serves: "a redirect with a user and a password",
      expected: [{ outcome: "redirect" }, { at: `http://${target}/p9-redirect`, outcome: "page" }],
      pages: { "/": redirect(`http://u:${secret}@${target}/p9-redirect`) },
    },
    {
      row: "P9",
      name: "other-scheme",
      serves: "a link of another scheme with a password",
      expected: [HOME, { at: "ftp://127.66.0.2/p9", outcome: "skipped", error: "blocked_scheme" }],
      pages: { "/": links([`ftp://u:${secret}@127.66.0.2/p9`]) },
    },
    {
      row: "P10",
      name: "conflict",
      serves: "X-Robots-Tag: nofollow against a meta element that says follow",
      needs: "robots directives",
      expected: [HOME, { at: "/kept-out", outcome: "absent" }],
      pages: {
        "/": page('<meta name=robots content="index,follow"><a href=/kept-out>x</a>', { "X-Robots-Tag": "nofollow" }),
        "/kept-out": page(),
      },
    },
    {
      row: "P10",
      name: "meta",
      serves: "a meta element that says nofollow between two that say follow",
      expected: [HOME, { at: "/kept-out", outcome: "absent" }],
      pages: {
        "/": page(`${["follow", "nofollow", "follow"].map((word) => `<meta name=robots content=${word}>`).join("")}<a href=/kept-out>x</a>`),
        "/kept-out": page(),
      },
    },
    {
      row: "P10",
      name: "thousand",
      serves: "1,000 directives, the last of them none",
      expected: [HOME, { at: "/kept-out", outcome: "absent" }],
      pages: {
        "/": page(`<meta name=robots content="${"follow, ".repeat(1000)}none"><a href=/kept-out>x</a>`),
        "/kept-out": page(),
      },
    },
  ];
};

/** P4 and P5: webs without an end. */
export const traps: Family = () => {
  const trap = (row: string, name: string, serves: string, answer: Answer, entry = "/"): HostileCase => ({
    row,
    name,
    serves,
    entry,
    apart: true,
    needs: "traps",
    expected: [HOME],
    pages: { "*": answer },
  });
  const number = (path: string) => Number(/(\d+)/.exec(path)?.[1] ?? 0);
  return [
    trap("P4", "calendar", "a calendar with a next day for ever", (visit) => {
      const day = number(visit.path);
      page(`<a href="/?d=${day + 1}">next</a><a href="/?d=${day + 2}">skip</a> day ${day}`)(visit);
    }),
    trap("P4", "segments", "a relative link that makes its own path longer", (visit) =>
      page(`<a href="a/">deeper</a><a href="b/">also</a> ${visit.path.length}`)(visit),
    ),
    trap("P4", "session", "a new session id in the path of every link", (visit) => {
      const session = ((number(visit.path) * 7919 + 13) % 0xffffff).toString(16).padStart(8, "0");
      page(`<a href="/s${number(visit.path) + 1}/sid=${session}/page">x</a><a href="/s${number(visit.path) + 1}/sid=${session}/other">y</a>`)(visit);
    }),
    trap("P5", "same-body", "the same body under a million URLs", (visit) => {
      const at = number(visit.path);
      // The links make the body differ, so they stand in a header.
      const next = [1, 2].map((step) => `</x/${(at * 2 + step) % 1_000_000}>; rel=next`);
      respond(visit, 200, { "Content-Type": "text/html", Link: next.join(", ") }, sameBody);
    }),
  ];
};

const sameBody = `<!doctype html><title>same</title>${Array.from({ length: 50 }, (_, i) => `<a href="?n=${i}">x</a>`).join("")}`;
