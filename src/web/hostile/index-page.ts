import type { HostileCase, Places, Serve } from "./case.ts";
import type { PlayedCase } from "./hostile-web.ts";
import { page, respond } from "./reply.ts";
import type { WitnessReport } from "./witness.ts";

/** Honest pages, to see whether the bad hosts delay them. */
export const HONEST_PAGES = 100;

/** The hosts that are no cases: the index, the target of redirects, and the one that must not be visited. */
export function ownHosts(
  cases: readonly PlayedCase[],
  places: Places,
  authority: string,
  report: () => WitnessReport,
): { index: HostileCase; target: HostileCase; canary: HostileCase } {
  const finite = cases.filter(({ apart }) => apart !== true);
  const families = [...new Set(finite.map(({ row }) => row[0]!))];
  const rows = [...new Set(finite.map(({ row }) => row))];
  const honest = Array.from({ length: HONEST_PAGES }, (_, i) => {
    const next = i + 1 < HONEST_PAGES ? `<a href=/honest/${i + 1}>next</a>` : "";
    return [`/honest/${i}`, page(`<p>An honest page.</p>${next}`)] as const;
  });
  const pages: Record<string, Serve> = {
    "/": page(
      `<h1>The hostile web</h1><p>Every row, one host per case.</p>${list([
        ...families.map((family): Item => [`/rows/${family}`, `rows ${family}`]),
        ["/apart", "cases without an end, with very many links, or that need a pause"],
        ["/honest/0", `${HONEST_PAGES} honest pages`],
        [`http://${places.target}/`, "where redirects lead"],
      ])}`,
    ),
    ...Object.fromEntries([
      ...families.map((family) => [
        `/rows/${family}`,
        table(finite.filter(({ row }) => row.startsWith(family))),
      ]),
      ...rows.map((row) => [
        `/rows/${row}`,
        table(finite.filter((hostile) => hostile.row === row)),
      ]),
      ...honest,
    ]),
    "/apart": table(cases.filter(({ apart }) => apart === true)),
    "/ca.pem": (visit) =>
      respond(visit, 200, { "Content-Type": "application/x-pem-file" }, authority),
    "/report.json": (visit) =>
      respond(visit, 200, { "Content-Type": "application/json" }, JSON.stringify(report())),
  };
  const expected = [{ outcome: "page" as const }];
  return {
    index: { row: "", name: "index", serves: "this list", expected, pages },
    target: {
      row: "",
      name: "target",
      serves: "ordinary pages",
      expected,
      pages: { "*": page("<p>You have arrived.</p>") },
    },
    canary: {
      row: "",
      name: "canary",
      serves: "a page that nobody may see",
      expected: [],
      pages: { "*": page("<p>A secret.</p>") },
    },
  };
}

type Item = readonly [href: string, text: string];

function list(items: readonly Item[]): string {
  return `<ul>${items.map(([href, text]) => `<li><a href="${href}">${escaped(text)}</a>`).join("\n")}</ul>`;
}

function table(cases: readonly PlayedCase[]): ReturnType<typeof page> {
  const lines = cases.map(
    ({ row, name, serves, url, expected }) =>
      `<tr><td>${row}<td><a href="${escaped(url)}">${name}</a><td>${escaped(serves)}<td>${escaped(
        expected.map(expectedText).join("; "),
      )}`,
  );
  return page(
    `<table><tr><th>row<th>case<th>what is served<th>what a crawler should log${lines.join("\n")}</table>`,
  );
}

/** An expectation in words, for the index and the documentation. */
export function expectedText({
  at,
  outcome,
  error,
  orRefused,
  truncated,
}: HostileCase["expected"][number]): string {
  const codes = error === undefined ? "" : ` ${[error].flat().join(" or ")}`;
  const cut = truncated === undefined ? "" : `, truncated: ${truncated}`;
  const or = orRefused === undefined ? "" : ` or refused ${orRefused}`;
  return `${at === undefined ? "" : `${shown(at)}: `}${outcome}${codes}${cut}${or}`;
}

/** A URL without the ports of this run, and not too long. */
function shown(url: string): string {
  return url.length > 60 ? `${url.slice(0, 57)}...` : url;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
