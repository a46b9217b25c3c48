import { gzipSync } from "node:zlib";
import type { Expected, Family, HostileCase, Serve } from "../case.ts";
import { headOf, links, once, page, pour, redirect, respond, stream } from "../reply.ts";

const NO: Expected = { at: "/no", outcome: "refused", error: "robots" };
const YES: Expected = { at: "/no", outcome: "page" };
const HOME: Expected = { outcome: "page" };

function robots(text: string | Buffer): Serve {
  return (visit) => respond(visit, 200, { "Content-Type": "text/plain" }, text);
}

/** A host whose first page links to /no, with this robots.txt. */
function ruled(
  row: string,
  name: string,
  serves: string,
  answer: Serve,
  expected: readonly Expected[],
  rest: Partial<HostileCase> = {},
): HostileCase {
  const pages = { "/": links(["/no"]), "/no": page(), "/robots.txt": answer };
  return { row, name, serves, expected, ...rest, pages: { ...pages, ...rest.pages } };
}

const status =
  (code: number): Serve =>
  (visit) =>
    respond(visit, code, { "Content-Type": "text/plain" }, "User-agent: *\nDisallow: /\n");

/** B1 to B6: robots.txt as a weapon. */
export const robotsRows: Family = ({ target, canary }) => {
  const chain = (name: string, serves: string, count: number, expected: readonly Expected[]) => {
    const hops = Array.from({ length: count - 1 }, (_, i) => i + 1);
    const pages = {
      ...Object.fromEntries(hops.map((i) => [`/robots-${i}`, redirect(`/robots-${i + 1}`)])),
      [`/robots-${count}`]: robots("User-agent: *\nDisallow: /no\n"),
    };
    return ruled("B3", name, serves, redirect("/robots-1"), expected, { pages });
  };
  const unreachable = (name: string, serves: string, code: number) =>
    ruled(
      "B2",
      name,
      serves,
      status(code),
      [{ outcome: "refused", error: `robots_status_${code}` }],
      // The whole host is closed, and its robots.txt is asked for again.
      { requests: 0, robotsRequests: 3 },
    );
  const delay = (name: string, value: string, expected: readonly Expected[]) =>
    ruled(
      "B6",
      name,
      `Crawl-delay: ${value}`,
      robots(`User-agent: *\nCrawl-delay: ${value}\nDisallow: /no\n`),
      expected,
    );
  const rulesBomb = once(() =>
    gzipSync(
      Buffer.concat([Buffer.from("User-agent: *\nDisallow: /no\n"), Buffer.alloc(64 << 20, "\n")]),
    ),
  );
  const tooLong: Expected[] = [{ outcome: "refused", error: "crawl_delay_too_long" }];
  const groups = (n: number) =>
    Array.from({ length: 1000 }, (_, i) => `User-agent: bot${n}-${i}\nDisallow: /${i}\n\n`).join(
      "",
    );
  return [
    ruled(
      "B1",
      "large",
      "a robots.txt of 100 MB: a rule at its start, another after 600 KiB",
      ({ socket }) => {
        const start = "User-agent: *\nDisallow: /no\n";
        const filler = Buffer.from(`# ${"x".repeat(1021)}\n`);
        socket.write(headOf(200, { "Content-Type": "text/plain", "Content-Length": 100_000_000 }));
        socket.write(start);
        const late = "Disallow: /late\n".padEnd(1024, "\n");
        pour(socket, (n) => (n === 600 ? late : filler), Math.floor(100_000_000 / 1024));
      },
      [HOME, NO, { at: "/late", outcome: "page" }],
      { pages: { "/": links(["/no", "/late"]), "/late": page() } },
    ),
    ruled(
      "B1",
      "bomb",
      "a robots.txt that unpacks to 64 MiB",
      (visit) =>
        respond(
          visit,
          200,
          { "Content-Type": "text/plain", "Content-Encoding": "gzip" },
          rulesBomb(),
        ),
      [HOME, NO],
    ),
    unreachable("status-500", "robots.txt answers 500", 500),
    unreachable("status-503", "robots.txt answers 503", 503),
    unreachable("status-599", "robots.txt answers 599", 599),
    ruled(
      "B2",
      "reset",
      "robots.txt is answered with a reset",
      ({ socket }) => socket.resetAndDestroy(),
      [{ outcome: "failed", error: "reset" }],
    ),
    ruled(
      "B2",
      "silence",
      "robots.txt is never answered",
      () => {},
      [{ outcome: "failed", error: "first_byte_timeout" }],
      { slow: true },
    ),
    ruled("B2", "status-404", "robots.txt answers 404 with rules inside", status(404), [HOME, YES]),
    ruled("B2", "status-403", "robots.txt answers 403", status(403), [HOME, YES]),
    ruled("B2", "status-410", "robots.txt answers 410", status(410), [HOME, YES]),
    chain("five", "five redirects, then rules", 5, [HOME, NO]),
    chain("six", "six redirects: as good as no robots.txt (RFC 9309, 2.3.1.2)", 6, [HOME, YES]),
    ruled("B3", "loop", "robots.txt redirects to itself", redirect("/robots.txt"), [HOME, YES]),
    ruled(
      "B3",
      "other-host",
      "robots.txt redirects to another host",
      redirect(`http://${target}/robots.txt`),
      [HOME, YES],
    ),
    ruled(
      "B3",
      "private",
      "robots.txt redirects to this machine",
      redirect(`http://${canary}/robots.txt`),
      [{ outcome: "failed", error: "blocked_private_address" }],
    ),
    ruled(
      "B3",
      "metadata",
      "robots.txt redirects to a metadata service",
      redirect("http://169.254.169.254/robots.txt"),
      [{ outcome: "failed", error: "blocked_private_address" }],
    ),
    ruled(
      "B4",
      "groups",
      "a million groups",
      stream("text/plain", (n) => (n === 0 ? "User-agent: *\nDisallow: /no\n\n" : groups(n)), 1001),
      [HOME, NO],
    ),
    ruled(
      "B4",
      "long-line",
      "a line of 10 MB",
      robots(`User-agent: *\nDisallow: /no\nAllow: /${"a".repeat(10_000_000)}`),
      [HOME, NO],
    ),
    ruled(
      "B4",
      "agents",
      "a list of 100,000 agents",
      robots(`${"User-agent: x\n".repeat(100_000)}User-agent: *\nDisallow: /no\n`),
      [HOME],
    ),
    ruled(
      "B4",
      "nul",
      "NULs between the letters' lines",
      robots("\0\0\nUser-agent: *\n\0\nDisallow: /no\n\0"),
      [HOME, NO],
    ),
    ruled("B4", "bom", "a byte-order mark", robots("\ufeffUser-agent: *\nDisallow: /no\n"), [
      HOME,
      NO,
    ]),
    ruled("B4", "cr", "lines that end in CR alone", robots("User-agent: *\rDisallow: /no\r"), [
      HOME,
      NO,
    ]),
    ruled(
      "B4",
      "binary",
      "random bytes",
      robots(Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 167 + (i >> 3)) & 255))),
      [HOME, YES],
    ),
    ruled(
      "B5",
      "wildcards",
      "rules of 2,000 wildcards against a path of 2,000 letters",
      robots(`User-agent: *\n${`Disallow: /${"*a".repeat(2000)}$\n`.repeat(100)}Disallow: /no\n`),
      [HOME, NO, { at: `/${"a".repeat(1900)}b`, outcome: "page" }],
      {
        pages: { "/": links(["/no", `/${"a".repeat(1900)}b`]), [`/${"a".repeat(1900)}b`]: page() },
      },
    ),
    delay("huge", "1e308", tooLong),
    delay("digits", "9".repeat(400), tooLong),
    delay("four-hundred", "400", tooLong),
    delay("barely", "300.1", tooLong),
    delay("negative", "-1", [HOME, NO]),
    delay("nan", "NaN", [HOME, NO]),
    delay("infinity", "Infinity", [HOME, NO]),
    delay("words", "a while", [HOME, NO]),
  ];
};
