import { gzipSync } from "node:zlib";
import type { Expected, Family, HostileCase } from "../case.ts";
import { bytes, links, page, raw } from "../reply.ts";

const HOME: Expected = { outcome: "page" };

const WARC =
  "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\nContent-Length: 0\r\n\r\n\r\n\r\n";

/** S1 to S6: names and bodies that try to break out of their place in the archive. */
export const storage: Family = () => {
  const paths = (
    row: string,
    name: string,
    serves: string,
    list: readonly string[],
  ): HostileCase => ({
    row,
    name,
    serves,
    expected: [HOME, ...list.map((at): Expected => ({ at, outcome: "page" }))],
    pages: { "/": links(list), "*": page() },
  });
  const kept = (
    row: string,
    name: string,
    serves: string,
    body: string | Buffer,
    headers = {},
  ): HostileCase => ({
    row,
    name,
    serves,
    expected: [HOME],
    pages: { "/": bytes(body, headers) },
  });
  return [
    paths("S1", "climbing", "paths that climb, reserved names, long segments", [
      "/..%2f..%2fetc/passwd",
      "/x/..%5c..%5cetc",
      "/%00",
      "/CON",
      "/aux.html",
      "/trailing.",
      "/trailing%20",
      `/${"s".repeat(300)}`,
      `/${"d/".repeat(1000)}deep`,
      "/a:b",
      "/%7e/.ssh/authorized_keys",
      "/.htaccess",
    ]),
    paths("S2", "twins", "paths that differ in case, in composition, or as file and folder", [
      "/twin",
      "/TWIN",
      "/twin/inside",
      "/%C3%A9",
      "/e%CC%81",
      "/twin?a=b",
      "/twin?A=b",
    ]),
    paths("S3", "url", "line ends in URLs, escaped", [
      "/a%0d%0aInjected:%20yes",
      "/b%0aWARC/1.1",
      "/c%E2%80%A8d",
    ]),
    {
      row: "S3",
      name: "header",
      serves: "a bare CR in a header, in the type and in the reason",
      expected: [HOME],
      pages: {
        "/": raw(
          "HTTP/1.1 200 O\rK\r\nContent-Type: text/html\rX-Injected: yes\r\nX-Note: a\rWARC/1.1\r\nContent-Length: 5\r\n\r\n<p>hi",
        ),
      },
    },
    kept(
      "S3",
      "title",
      "line ends and separators in the title",
      "<title>a\r\nWARC/1.1\u2028b\u0085c&#13;&#10;d</title>",
    ),
    kept("S4", "warc", "a body that looks like a record", WARC.repeat(3)),
    kept("S4", "warc-gzip", "a body that looks like a compressed record", gzipSync(WARC), {
      "Content-Encoding": "gzip",
    }),
    kept("S4", "warc-type", "a record under its own media type in HTML's clothes", `<p>${WARC}`),
    kept("S5", "disposition", "a file name that climbs", "<p>x", {
      "Content-Disposition": 'attachment; filename="../../.bashrc"',
    }),
    kept(
      "S6",
      "formula",
      "a title that is a formula",
      '<title>=HYPERLINK("http://127.0.0.1/","x")</title>',
    ),
  ];
};
