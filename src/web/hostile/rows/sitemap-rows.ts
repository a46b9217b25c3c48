import { randomBytes } from "node:crypto";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Expected, Family, HostileCase, Serve, Visit } from "../case.ts";
import { once, page, redirect, respond, stream } from "../reply.ts";

const MIB = 1024 * 1024;
const XML = { "Content-Type": "application/xml" };
const HOME: Expected = { outcome: "page" };
const LISTED: Expected = { at: "/listed", outcome: "page" };
const NOTHING: Expected = { at: "/listed", outcome: "absent" };

const blocked = (at: string): Expected => ({
  at,
  outcome: "refused",
  error: "blocked_private_address",
});

/** What is expected of the sitemap itself, which is requested once. */
const sitemap = (error?: string, truncated?: "length"): Expected => ({
  at: "/sitemap.xml",
  outcome: "sitemap",
  requests: 1,
  ...(error === undefined ? {} : { error }),
  ...(truncated === undefined ? {} : { truncated }),
});

/** A host whose robots.txt names its sitemap, among whose entries /listed would be a page. */
function listed(
  row: string,
  name: string,
  serves: string,
  answer: Serve,
  expected: readonly Expected[],
  rest: Partial<HostileCase> = {},
): HostileCase {
  return {
    row,
    name,
    serves,
    expected: [HOME, ...expected],
    ...rest,
    pages: {
      "/": page(),
      "/listed": page(),
      "/robots.txt": ({ origin, ...visit }) =>
        respond(
          { origin, ...visit },
          200,
          { "Content-Type": "text/plain" },
          `Sitemap: ${origin}/sitemap.xml\n`,
        ),
      "/sitemap.xml": answer,
      ...rest.pages,
    },
  };
}

const loc = (url: string) => `<url><loc>${url}</loc></url>`;
const child = (url: string) => `<sitemap><loc>${url}</loc></sitemap>`;
const urlset = (inside: string) =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inside}</urlset>`;
const index = (inside: string) => `<sitemapindex>${inside}</sitemapindex>`;

const xml =
  (text: (visit: Visit) => string): Serve =>
  (visit) =>
    respond(visit, 200, XML, text(visit));

const packed =
  (body: () => Buffer, headers: Readonly<Record<string, string>>): Serve =>
  (visit) =>
    respond(visit, 200, headers, body());

/** N1 and N8: sitemaps that lead where nobody may go. */
export const sitemapPlaces: Family = ({ canary }) => {
  const metadata = "http://169.254.169.254/latest/n8.xml";
  const names = (...files: string[]): Serve => {
    const lines = files.map((file) => `Sitemap: ${file}\n`).join("");
    return (visit) => respond(visit, 200, { "Content-Type": "text/plain" }, lines);
  };
  return [
    listed(
      "N1",
      "sitemap",
      "a sitemap of private pages",
      xml(({ origin }) =>
        urlset(
          [`http://${canary}/n1-listed`, "http://10.0.0.1/n1-listed", `${origin}/listed`]
            .map(loc)
            .join(""),
        ),
      ),
      [
        sitemap(),
        blocked(`http://${canary}/n1-listed`),
        blocked("http://10.0.0.1/n1-listed"),
        LISTED,
      ],
    ),
    listed(
      "N8",
      "sitemap",
      "a robots.txt whose sitemaps are on this machine and at a metadata service",
      xml(() => urlset("")),
      [blocked(`http://${canary}/n8.xml`), blocked(metadata)],
      { pages: { "/robots.txt": names(`http://${canary}/n8.xml`, metadata) } },
    ),
    listed(
      "N8",
      "redirect",
      "a sitemap that redirects to this machine",
      redirect(`http://${canary}/n8-redirect.xml`),
      [{ at: "/sitemap.xml", outcome: "redirect" }, blocked(`http://${canary}/n8-redirect.xml`)],
    ),
    listed(
      "N8",
      "child",
      "an index whose sitemap is on this machine",
      xml(() => index(child(`http://${canary}/n8-child.xml`))),
      [sitemap(), blocked(`http://${canary}/n8-child.xml`)],
    ),
  ];
};

/** B7: sitemaps that define things. */
export const sitemapEntities: Family = ({ canary }) => {
  const laughs = Array.from(
    { length: 9 },
    (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`,
  ).join("");
  const defining = (name: string, serves: string, doctype: string, inside: string) =>
    listed(
      "B7",
      name,
      serves,
      xml(
        ({ origin }) =>
          `<?xml version="1.0"?><!DOCTYPE ${doctype}>${urlset(`${loc(`${origin}/listed`)}${inside}`)}`,
      ),
      [sitemap("sitemap_dtd"), NOTHING],
    );
  return [
    defining(
      "laughs",
      "a billion laughs",
      `urlset [<!ENTITY l0 "lol">${laughs}]`,
      "<url><loc>&l9;</loc></url>",
    ),
    defining(
      "external",
      "an external entity on this machine",
      `urlset [<!ENTITY x SYSTEM "http://${canary}/b7">]`,
      "<url><loc>&x;</loc></url>",
    ),
    defining(
      "parameter",
      "a parameter entity on this machine",
      `urlset [<!ENTITY % x SYSTEM "http://${canary}/b7-parameter"> %x;]`,
      "",
    ),
    defining(
      "file",
      "an entity that is a file",
      `urlset [<!ENTITY x SYSTEM "file:///etc/passwd">]`,
      loc("/&x;"),
    ),
    defining("dtd", "a DTD on this machine", `urlset SYSTEM "http://${canary}/b7.dtd"`, ""),
  ];
};

/** B8: endless and very large sitemaps. */
export const sitemapSizes: Family = ({ target }) => {
  const blanks = Buffer.alloc(64 * MIB, " ");
  // Written with a path instead of an origin: bombs are made once, for whatever port they are served on.
  const bomb = Buffer.concat([Buffer.from(`<urlset>${loc("/listed")}`), blanks]);
  const [zipped, brotli] = [once(() => gzipSync(bomb)), once(() => brotliCompressSync(bomb))];
  const half = once(() => {
    const long = `${loc("/listed")}<!-- ${randomBytes(100_000).toString("hex")} -->`;
    const whole = gzipSync(urlset(long));
    return whole.subarray(0, whole.length / 2);
  });
  const tooLarge = [sitemap("sitemap_too_large"), LISTED];
  /** URLs with a blocked port cost no request, however many there are. */
  const many = (count: number, of: (url: string) => string) =>
    Array.from({ length: count }, (_, i) => of(`http://${target.split(":")[0]}:22/${i}`)).join("");
  const tooMany = [sitemap("sitemap_too_many_urls")];
  return [
    listed(
      "B8",
      "itself",
      "a sitemap index that lists itself",
      xml(({ origin }) => index(child(`${origin}/sitemap.xml`))),
      [sitemap()],
    ),
    listed(
      "B8",
      "circle",
      "an index of an index of the first index and another sitemap",
      xml(({ origin }) => index(child(`${origin}/second.xml`))),
      [
        sitemap(),
        { at: "/second.xml", outcome: "sitemap", requests: 1 },
        { at: "/third.xml", outcome: "absent" },
      ],
      {
        pages: {
          "/second.xml": xml(({ origin }) =>
            index(child(`${origin}/sitemap.xml`) + child(`${origin}/third.xml`)),
          ),
          "/third.xml": xml(({ origin }) => urlset(loc(`${origin}/listed`))),
        },
      },
    ),
    listed(
      "B8",
      "same-children",
      "a sitemap index of a million children that are one, 58 MB",
      (visit) => {
        const children = child(`${visit.origin}/listed`).repeat(1000);
        stream("application/xml", (n) => (n === 0 ? "<sitemapindex>" : children), 1001)(visit);
      },
      [
        sitemap("sitemap_too_large", "length"),
        { at: "/listed", outcome: "sitemap", error: "sitemap_unknown", requests: 1 },
      ],
    ),
    listed(
      "B8",
      "whole",
      "a sitemap of 49 MiB whose last entry counts",
      (visit) => {
        const blank = Buffer.alloc(MIB, " ");
        const piece = (n: number) => (n === 0 ? "<urlset>" : n < 50 ? blank : loc("/listed"));
        stream("application/xml", piece, 51)(visit);
      },
      [sitemap(undefined, "length"), LISTED],
    ),
    listed(
      "B8",
      "gzip",
      "a gzip file that unpacks to 64 MiB",
      packed(zipped, { "Content-Type": "application/gzip" }),
      tooLarge,
    ),
    listed(
      "B8",
      "coded",
      "the same as a coding of the transfer",
      packed(zipped, { ...XML, "Content-Encoding": "gzip" }),
      tooLarge,
    ),
    listed(
      "B8",
      "brotli",
      "64 MiB in a few hundred bytes of brotli",
      packed(brotli, { ...XML, "Content-Encoding": "br" }),
      tooLarge,
    ),
    listed(
      "B8",
      "broken-gzip",
      "a gzip file that stops in the middle",
      packed(half, { "Content-Type": "application/gzip" }),
      [sitemap("sitemap_bad_gzip"), LISTED],
    ),
    listed(
      "B8",
      "pages",
      "a sitemap of 60,000 pages",
      xml(() => urlset(many(60_000, loc))),
      tooMany,
      { apart: true },
    ),
    listed(
      "B8",
      "children",
      "an index of 60,000 sitemaps",
      xml(() => index(many(60_000, child))),
      tooMany,
      { apart: true },
    ),
  ];
};
