import { escapeMarkup } from "../../stats/plot/plot-frame.ts";
import type { Table } from "../experiment.ts";
import { agreement, cellText, columnText, DAGGER, verdictText } from "./cell-text.ts";
import type { Done } from "./results.ts";

const STYLE = `
:root{color-scheme:light dark;--ground:#fff;--text:#1b1b1b;--soft:#5a5a5a;--line:#ddd;--box:#f5f6f7;--good:#1b7f4b;--bad:#b3261e;--part:#8a5a00}
@media screen and (prefers-color-scheme:dark){:root{--ground:#16181c;--text:#ececec;--soft:#a9adb3;--line:#32363d;--box:#1f2329;--good:#6fd39b;--bad:#ff8a70;--part:#f5b041}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:60rem;background:var(--ground);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:break-word}
h1,h2,h3{line-height:1.25}h2{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:1rem}h3{font-size:1rem;margin:1.5rem 0 .4rem}
.soft,caption,.from{color:var(--soft)}.from{font-weight:normal;font-size:1rem}
.verdict{background:var(--box);border-left:.35rem solid var(--soft);padding:.6rem .8rem}
.agrees{border-color:var(--good)}.differs{border-color:var(--bad)}.partly{border-color:var(--part)}
td.agrees{color:var(--good)}td.differs{color:var(--bad)}
.wide{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;font-size:.875rem;margin:.3rem 0}
caption{text-align:left;padding-bottom:.3rem}
th,td{border-bottom:1px solid var(--line);padding:.2rem .6rem;text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
th{vertical-align:bottom;white-space:normal}td.word,th.word{text-align:left;white-space:normal;min-width:6rem}
figure{margin:1rem 0}figure svg{min-width:30rem}
a{color:inherit}nav ul{columns:16rem;padding-left:1.2rem}
@media print{body{max-width:none;padding:0;font-size:10pt}figure,table,.verdict{break-inside:avoid}figure svg{min-width:0}.wide{overflow:visible}table{font-size:8pt}}
`;

/** One page about all experiments: no script, nothing loaded from elsewhere. */
export function labPage(all: readonly Done[], facts: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(facts).map(([name, value]) => `${name} ${String(value)}`);
  const links = all.map(({ experiment: { name }, findings: { verdict } }) => {
    return `<li><a href="#${escapeMarkup(name)}">${escapeMarkup(name)}</a>: ${verdict.claim}</li>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Orbweaver laboratory</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Orbweaver laboratory</h1>
<p class="soft">${escapeMarkup(shown.join(" · "))}</p>
<nav><ul>${links.join("")}</ul></nav>
${all.map(section).join("\n")}
<p class="soft">${escapeMarkup(DAGGER)}</p>
</body>
</html>
`;
}

function section({ experiment, parameters, seconds, findings }: Done): string {
  const { name, document, question } = experiment;
  const from = document === "ours" ? "our own" : `document ${document}`;
  const { verdict } = findings;
  return `<section id="${escapeMarkup(name)}">
<h2>${escapeMarkup(name)} <span class="from">${from}</span></h2>
<p><b>Question.</b> ${escapeMarkup(question)}</p>
<p><b>Set-up.</b> ${escapeMarkup(findings.setup)} <span class="soft">Seed ${parameters.seed}, ${parameters.size}, ${cellText(Math.round(seconds * 10) / 10)} s.</span></p>
<p class="verdict ${verdict.claim}">${escapeMarkup(verdictText(verdict))}</p>
${findings.plots.map(({ svg }) => `<figure class="wide">${svg}</figure>`).join("\n")}
${findings.tables.map(htmlTable).join("\n")}
${paperTable(findings.paper)}
${(findings.leftOut ?? []).map((sentence) => `<p class="soft">Left out: ${escapeMarkup(sentence)}</p>`).join("\n")}
</section>`;
}

function htmlTable({ title, columns, rows }: Table): string {
  const isWord = columns.map((_, i) => rows.some((cells) => typeof cells[i] === "string"));
  const kind = (i: number) => (isWord[i] ? ' class="word"' : "");
  const head = columns.map((column, i) => `<th${kind(i)}>${escapeMarkup(columnText(column))}</th>`);
  const body = rows.map(
    (cells) =>
      `<tr>${cells.map((cell, i) => `<td${kind(i)}>${escapeMarkup(cellText(cell))}</td>`).join("")}</tr>`,
  );
  return `<div class="wide"><table><caption>${escapeMarkup(title)}</caption><thead><tr>${head.join("")}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

function paperTable(paper: Done["findings"]["paper"]): string {
  if (paper.length === 0) return "";
  const rows = paper.map(({ what, paper: theirs, ours, agrees }) => {
    const word = agreement(agrees);
    const cells = [what, theirs, ours].map((text) => `<td class="word">${escapeMarkup(text)}</td>`);
    return `<tr>${cells.join("")}<td class="word ${word}">${word}</td></tr>`;
  });
  return `<h3>The document beside ours</h3><div class="wide"><table><thead><tr><th class="word">Claim</th><th class="word">Document</th><th class="word">Ours</th><th class="word"></th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}
