import type { CorpusReport, Duplicates, TopPage } from "../corpus-report.ts";
import type { CodeCount } from "../read/log-survey.ts";
import {
  type Cell,
  escaped,
  numberText,
  percent,
  stacked,
  table,
  urlMarkup,
} from "./html-markup.ts";
import type { Section } from "./section.ts";

/** Single pages and URLs: the most important ones, duplicates, broken links, what was refused, what has changed. */
export function pagesSections(report: CorpusReport): Section[] {
  const sections: Section[] = [
    { id: "top", title: "Most important pages", html: topPages(report) },
    { id: "duplicates", title: "Duplicates", html: duplicates(report) },
    { id: "broken", title: "Broken links", html: broken(report) },
    { id: "redirects", title: "Redirects", html: redirects(report) },
    { id: "refused", title: "Refused and trapped", html: refused(report) },
  ];
  if (report.comparison !== undefined)
    sections.unshift({ id: "comparison", title: "Beside another crawl", html: comparison(report) });
  return sections;
}

function sentence(text: string): string {
  return `<p>${escaped(text)}</p>`;
}

function ranked(title: string, unit: string, pages: readonly TopPage[]): string {
  if (pages.length === 0) return "";
  const rows = pages.map(({ url, title: name, value }): Cell[] => [
    value,
    stacked([{ html: escaped(name) }, urlMarkup(url)]),
  ]);
  return `<div><h3>${escaped(title)}</h3>${table([unit, "page"], rows)}</div>`;
}

function topPages({ topPages: { byInDegree, byPageRank, byCash } }: CorpusReport): string {
  const lists = [
    ranked("By pages that link to them", "linked from", byInDegree),
    ranked("By PageRank, whose sum is 1", "rank", byPageRank),
    ranked("By all cash they got (OPIC)", "cash", byCash ?? []),
  ];
  const none = byCash === null ? sentence("Cash is counted with --order opic only.") : "";
  return `<div class="sides">${lists.join("")}</div>${none}`;
}

function duplicates({ duplicates: { exact, near } }: CorpusReport): string {
  return (
    group("Equal bytes", "the same body as stored", exact) +
    group(
      "Nearly the same text",
      `at least ${percent(near.minSimilarity)} of their runs of three words are the same; texts below ${near.minWords} words are left out`,
      near,
    )
  );
}

function group(
  title: string,
  meaning: string,
  { clusters, pages, extra, examples }: Duplicates,
): string {
  const told = `${numberText(pages)} pages in ${numberText(clusters)} groups (${meaning}); ${numberText(extra)} of them repeat another one.`;
  const rows = examples.map((each): Cell[] => [each.pages, stacked(each.urls.map(urlMarkup))]);
  const list = rows.length === 0 ? "" : table(["pages", "the first of each group"], rows);
  return `<h3>${escaped(title)}</h3>${sentence(told)}${list}`;
}

function broken({ brokenLinks, failed, links }: CorpusReport): string {
  const rows = brokenLinks.map(({ url, code, meaning, linkedFrom, referrers }): Cell[] => [
    linkedFrom,
    urlMarkup(url),
    `${code}: ${meaning}`,
    stacked(referrers.map(urlMarkup)),
  ]);
  const told = `${numberText(links.failedTargets)} URLs that failed are linked from pages of this crawl.`;
  const list =
    rows.length === 0 ? "" : table(["linked from", "URL", "why", "for example from"], rows);
  return sentence(told) + list + codes("Failures by code", failed);
}

function codes(title: string, groups: readonly CodeCount[]): string {
  if (groups.length === 0) return "";
  const rows = groups.map(({ code, meaning, urls, examples }): Cell[] => [
    urls,
    `${code}: ${meaning}`,
    stacked(examples.map(urlMarkup)),
  ]);
  return `<h3>${escaped(title)}</h3>${table(["URLs", "why", "examples"], rows)}`;
}

function redirects({
  redirects: { urls, toOtherHosts, byStatus, examples },
}: CorpusReport): string {
  const statuses = byStatus.map(({ name, pages }) => `${numberText(pages)} with ${name}`);
  const kinds = statuses.length === 0 ? "" : ` (${statuses.join(", ")})`;
  const told = `${numberText(urls)} redirects${kinds}; ${numberText(toOtherHosts)} lead to another host.`;
  const rows = examples.map(({ url, status, location }): Cell[] => [
    String(status),
    urlMarkup(url),
    urlMarkup(location),
  ]);
  return sentence(told) + (rows.length === 0 ? "" : table(["status", "from", "to"], rows));
}

function refused({ robots, refused: others, trapped, skippedLinks }: CorpusReport): string {
  const traps = trapped.reduce((sum, { urls }) => sum + urls, 0);
  const hosts = robots.hosts.map(({ name, pages }): Cell[] => [name, pages]);
  const links = skippedLinks.map((each): Cell[] => [each.links, `${each.reason}: ${each.meaning}`]);
  return [
    sentence(
      `${numberText(robots.refused)} URLs were refused by robots.txt, ${numberText(traps)} belong to traps.`,
    ),
    hosts.length === 0 ? "" : `<h3>Hosts that refuse most</h3>${table(["host", "URLs"], hosts)}`,
    codes("Refused by code", others),
    codes("Trapped", trapped),
    links.length === 0 ? "" : `<h3>Links not followed</h3>${table(["links", "why"], links)}`,
  ].join("");
}

function comparison({ comparison: compared }: CorpusReport): string {
  const { against, here, there, same } = compared!;
  const both = [
    ["pages", here.pages, there.pages],
    ["mean bytes on the wire", here.meanBytes, there.meanBytes],
    ["mean words", here.meanWords, there.meanWords],
    ["mean out-links", here.meanLinks, there.meanLinks],
  ] as const;
  const rows = both.map(([name, a, b]): Cell[] => [
    ...[name, a, b],
    b === 0 ? "" : `${a >= b ? "+" : "-"}${percent(Math.abs(a / b - 1))}`,
  ]);
  const kinds = (["new", "gone", "changed"] as const).map((kind) => {
    const { pages, examples } = compared![kind];
    const list = examples.map((url): Cell[] => [urlMarkup(url)]);
    return `<div><h3>${numberText(pages)} ${kind}</h3>${list.length === 0 ? "" : table(["page"], list)}</div>`;
  });
  return [
    sentence(
      `Compared with ${against} by URL and stored bytes; ${numberText(same)} pages are the same.`,
    ),
    table(["figure", "here", "there", "difference"], rows),
    `<div class="sides">${kinds.join("")}</div>`,
  ].join("");
}
