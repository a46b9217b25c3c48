import type { Table } from "../experiment.ts";
import { agreement, cellText, columnText, DAGGER, verdictText } from "./cell-text.ts";
import type { Done } from "./results.ts";

/** Experiments as Markdown, plots as images beside it. */
export function labMarkdown(
  all: readonly Done[],
  plotFile: (experiment: string, plot: string) => string,
): string {
  return all.map((done) => section(done, plotFile)).join("\n");
}

function section(
  { experiment, parameters, seconds, findings }: Done,
  plotFile: (experiment: string, plot: string) => string,
): string {
  const { name, document, question } = experiment;
  const from = document === "ours" ? "our own" : `document ${document}`;
  const lines = [
    `# ${name} (${from})`,
    "",
    `**Question.** ${escaped(question)}`,
    "",
    `**Set-up.** ${escaped(findings.setup)} Seed ${parameters.seed}, ${parameters.size}, ${cellText(Math.round(seconds * 10) / 10)} s.`,
    "",
    `**Verdict.** ${escaped(verdictText(findings.verdict))}`,
    "",
  ];
  for (const { name: plot } of findings.plots) {
    lines.push(`![${plot}](${plotFile(name, plot)})`, "");
  }
  for (const table of findings.tables) lines.push(...markdownTable(table), "");
  if (findings.tables.some(({ columns }) => columns.some((column) => column.deterministic))) {
    lines.push(DAGGER, "");
  }
  if (findings.paper.length > 0) {
    lines.push("| Claim | Document | Ours | |", "|---|---|---|---|");
    for (const { what, paper, ours, agrees } of findings.paper) {
      lines.push(row([what, paper, ours, agreement(agrees)]));
    }
    lines.push("");
  }
  for (const sentence of findings.leftOut ?? []) lines.push(`Left out: ${escaped(sentence)}`, "");
  return lines.join("\n");
}

function markdownTable({ title, columns, rows }: Table): string[] {
  return [
    `**${escaped(title)}**`,
    "",
    row(columns.map(columnText)),
    `|${"---|".repeat(columns.length)}`,
    ...rows.map((cells) => row(cells.map(cellText))),
  ];
}

const row = (cells: readonly string[]) => `| ${cells.map(escaped).join(" | ")} |`;

function escaped(text: string): string {
  return text.replace(/[\r\n]+/g, " ").replace(/[|<>[\]`]/g, (c) => `\\${c}`);
}
