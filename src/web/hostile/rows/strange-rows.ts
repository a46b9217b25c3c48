import type { Expected, Family, HostileCase } from "../case.ts";
import { bytes, links, page, redirect } from "../reply.ts";

const HOME: Expected = { outcome: "page" };

/** P6 to P10: pages with strange encodings, bases, links and directives. */
export const strangePages: Family = ({ canary, target }) => {
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
    charset(
      "utf-7",
      "UTF-7",
      "text/html; charset=utf-7",
      Buffer.from("<title>+ADw-b+AD4-</title>"),
      "+ADw-b+AD4-",
    ),
    charset(
      "path",
      "a charset that looks like a path",
      "text/html; charset=../../x",
      Buffer.from("<title>caf\xe9</title>", "latin1"),
      "caf\u00e9",
    ),
    charset(
      "utf-16",
      "UTF-16 without a mark, by its header",
      "text/html; charset=utf-16le",
      Buffer.from("<title>sixteen</title>", "utf16le"),
      "sixteen",
    ),
    charset(
      "utf-16-unsaid",
      "UTF-16 without a mark and without a word about it: nobody may guess it",
      "text/html",
      Buffer.from("<title>sixteen</title>", "utf16le"),
      "",
    ),
    charset(
      "bom",
      "UTF-8 with a mark against its header",
      "text/html; charset=windows-1252",
      Buffer.from("\ufeff<title>caf\u00e9</title>"),
      "caf\u00e9",
    ),
    charset(
      "surrogates",
      "lone surrogates",
      "text/html; charset=utf-16le",
      Buffer.from("<title>a\ud800b</title>", "utf16le"),
      "a\ufffdb",
    ),
    charset(
      "broken",
      "bytes that are no UTF-8",
      "text/html; charset=utf-8",
      Buffer.from("<title>a\xff\xfeb</title>", "latin1"),
      "a\ufffd\ufffdb",
    ),
    charset(
      "long",
      "a charset of 8,000 letters",
      `text/html; charset=${"x".repeat(8000)}`,
      Buffer.from("<title>caf\xe9</title>", "latin1"),
      "caf\u00e9",
    ),
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
      expected: [
        HOME,
        { at: "http://10.0.0.1/p7", outcome: "refused", error: "blocked_private_address" },
      ],
      pages: { "/": page('<base href="http://10.0.0.1"><a href="p7">x</a>') },
    },
    {
      row: "P7",
      name: "here",
      serves: "a base on this machine",
      expected: [
        HOME,
        { at: `http://${canary}/p7`, outcome: "refused", error: "blocked_private_address" },
      ],
      pages: { "/": page(`<base href="//${canary}/x/"><a href="../p7">x</a>`) },
    },
    {
      row: "P8",
      name: "links",
      serves: "links that cannot be followed: too long, bad ports, bad names",
      expected: [
        HOME,
        { at: garbage, outcome: "failed", error: "dns_not_found" },
        ...strange.map(([link, expected]): Expected => ({ ...expected, at: link.slice(0, 200) })),
      ],
      pages: { "/": links([garbage, ...strange.map(([link]) => link)]) },
    },
    {
      row: "P8",
      name: "odd",
      serves: "links with NUL, text direction marks, broken escapes and half characters",
      expected: [
        HOME,
        { at: "/%00", outcome: "page" },
        { at: "/%E2%80%AEgnp.exe", outcome: "page" },
        { at: "/%zz", outcome: "page" },
        { at: "/%EF%BF%BDx", outcome: "page" },
        { at: "/%", outcome: "page" },
        { at: "/a%2fb", outcome: "page" },
        { at: "/;x", outcome: "page" },
        { at: "/%EF%BF%BD", outcome: "page" },
      ],
      pages: { "/": links(odd), "*": page() },
    },
    {
      row: "P9",
      name: "link",
      serves: "links with a user and a password",
      expected: [
        HOME,
        { at: `http://${target}/p9-link`, outcome: "page" },
        { at: `http://${target}/p9-user`, outcome: "page" },
      ],
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
      expected: [HOME, { at: "/kept-out", outcome: "absent" }],
      pages: {
        "/": page('<meta name=robots content="index,follow"><a href=/kept-out>x</a>', {
          "X-Robots-Tag": "nofollow",
        }),
        "/kept-out": page(),
      },
    },
    {
      row: "P10",
      name: "meta",
      serves: "a meta element that says nofollow between two that say follow",
      expected: [HOME, { at: "/kept-out", outcome: "absent" }],
      pages: {
        "/": page(
          `${["follow", "nofollow", "follow"].map((word) => `<meta name=robots content=${word}>`).join("")}<a href=/kept-out>x</a>`,
        ),
        "/kept-out": page(),
      },
    },
    {
      row: "P10",
      name: "thousand",
      serves: "1,000 directives, the last of them none",
      expected: [HOME, { at: "/kept-out", outcome: "absent" }],
      pages: {
        "/": page(
          `<meta name=robots content="${"follow, ".repeat(1000)}none"><a href=/kept-out>x</a>`,
        ),
        "/kept-out": page(),
      },
    },
  ];
};
