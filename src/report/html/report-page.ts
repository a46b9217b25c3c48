import { createHash } from "node:crypto";
import { PLOT_STYLE } from "../../stats/plot/plot-style.ts";
import type { CorpusReport } from "../corpus-report.ts";
import { escaped } from "./html-markup.ts";
import { numbersSections } from "./numbers-sections.ts";
import { pagesSections } from "./pages-sections.ts";
import { REPORT_STYLE } from "./report-style.ts";

/**
 * The report as one HTML file that needs nothing else. Titles and URLs come from the web, so everything is escaped, and
 * the policy allows neither scripts nor any request: only the two style sheets, by their hashes.
 */
export function reportPage(report: CorpusReport, name: string): string {
  const sections = [...numbersSections(report), ...pagesSections(report)];
  const title = `Corpus report: ${name}`;
  const policy = `default-src 'none'; style-src ${hashOf(REPORT_STYLE)} ${hashOf(PLOT_STYLE)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<header>
<h1>${escaped(title)}</h1>
<p class="soft">Made ${escaped(report.generated)} by <code>orbweaver report</code>. The newest run: ${escaped(report.ended)}. All figures are in <code>report.json</code>.</p>
</header>
<nav aria-label="Sections"><ul>${sections.map(({ id, title }) => `<li><a href="#${id}">${escaped(title)}</a></li>`).join("")}</ul></nav>
<main>
${sections.map(({ id, title, html }) => `<section id="${id}">\n<h2>${escaped(title)}</h2>\n${html}\n</section>`).join("\n")}
</main>
</body>
</html>
`;
}

function hashOf(style: string): string {
  return `'sha256-${createHash("sha256").update(style).digest("base64")}'`;
}
