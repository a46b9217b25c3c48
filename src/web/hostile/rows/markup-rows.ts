import type { Expected, Family, HostileCase, Serve } from "../case.ts";
import { bytes, once, page, respond } from "../reply.ts";

const HOME: Expected = { outcome: "page" };
const LAST: Expected = { at: "/last", outcome: "page" };

function many(count: number, piece: (i: number) => string, between = ""): string {
  return Array.from({ length: count }, (_, i) => piece(i)).join(between);
}

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
  const read: Expected[] = [{ outcome: "page", error: ["", "parse_budget"], title: "t" }];
  return [
    heavy("P1", "divs", "20,000 nested div", () => "<div>".repeat(20_000) + last),
    heavy("P1", "lists", "512 KB of nested lists", () => "<ul><li>".repeat(65_536) + last),
    heavy(
      "P1",
      "tables",
      "50,000 tables inside each other",
      () => "<table><tr><td>".repeat(50_000) + last,
    ),
    heavy(
      "P1",
      "formatting",
      "100,000 elements that format text, never closed",
      () => "<b><i><u>".repeat(33_000) + last,
    ),
    heavy("P1", "svg", "50,000 nested svg elements", () => "<svg><g>".repeat(25_000), [HOME]),
    heavy(
      "P1",
      "misnested",
      "40,000 misnested elements in a table",
      () => `<table>${"<a><b><div></a></b>".repeat(8000)}`,
      [HOME],
    ),
    heavy("P2", "scripts", "200,000 times <script>", () => "<script>".repeat(200_000), read),
    heavy(
      "P2",
      "comment",
      "a comment of 8 MB without an end",
      () => `<!--${"-<!--".repeat(1_600_000)}`,
      read,
    ),
    heavy(
      "P2",
      "attribute",
      "an attribute of 10 MB",
      () => `<a href="${"x".repeat(10_000_000)}">`,
      read,
    ),
    heavy(
      "P2",
      "attributes",
      "a million attributes",
      () => `<a ${many(1_000_000, (i) => `a${i}=b`, " ")}>`,
      read,
    ),
    heavy("P2", "less-than", "8 MB of <", () => "<".repeat(8_000_000), read),
    heavy(
      "P2",
      "entities",
      "8 MB of half references",
      () => `<a href="${"&am".repeat(2_600_000)}">`,
      read,
    ),
    heavy(
      "P2",
      "moved",
      "links by the hundred thousand that a table moves out",
      () => "<table><a href=/last>".repeat(300_000),
      read,
    ),
    {
      ...heavy("P3", "million", "a million links", () =>
        many(1_000_000, (i) => `<a href=/l/${i}>`),
      ),
      expected: [{ outcome: "page", error: "body_too_large", truncated: "length" }],
      apart: true,
    },
    {
      ...heavy("P3", "dense", "as many links as fit 10 MB", () =>
        many(800_000, (i) => `<a href=${i.toString(36)}>`),
      ),
      expected: [HOME],
      apart: true,
    },
  ];
};

/** P4 and P5: endless webs. */
export const traps: Family = () => {
  const trap = (
    row: string,
    name: string,
    serves: string,
    answer: Serve,
    entry = "/",
  ): HostileCase => ({
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
      page(
        `<a href="/s${number(visit.path) + 1}/sid=${session}/page">x</a><a href="/s${number(visit.path) + 1}/sid=${session}/other">y</a>`,
      )(visit);
    }),
    trap("P5", "same-body", "the same body under a million URLs", (visit) => {
      const at = number(visit.path);
      // The links make the body differ, so they stand in a header.
      const next = [1, 2].map((step) => `</x/${(at * 2 + step) % 1_000_000}>; rel=next`);
      respond(visit, 200, { "Content-Type": "text/html", Link: next.join(", ") }, sameBody);
    }),
  ];
};

const sameBody = `<!doctype html><title>same</title>${many(50, (i) => `<a href="?n=${i}">x</a>`)}`;
