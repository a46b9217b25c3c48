import type { Table } from "../experiment.ts";
import { agreement, cellText, columnText, verdictText } from "./cell-text.ts";
import type { Done } from "./results.ts";

/** An experiment for the terminal. */
export function labText({ experiment, findings, isKept, seconds }: Done): string {
  const { name, question } = experiment;
  const when = isKept ? "done before" : `${cellText(Math.round(seconds * 10) / 10)} s`;
  const parts = [`\n${name}: ${question} (${when})\n`];
  for (const table of findings.tables) parts.push(`\n${textTable(table)}`);
  for (const { what, paper, ours, agrees } of findings.paper) {
    parts.push(`  ${what}: document ${paper}; ours ${ours} (${agreement(agrees)})\n`);
  }
  for (const sentence of findings.leftOut ?? []) parts.push(`  left out: ${sentence}\n`);
  parts.push(`${verdictText(findings.verdict)}\n`);
  return parts.join("");
}

/** A table in columns; words to the left, numbers to the right. */
export function textTable({ title, columns, rows }: Table): string {
  const heads = columns.map(columnText);
  const cells = rows.map((row) => row.map(cellText));
  const widths = heads.map((head, i) =>
    Math.max(head.length, ...cells.map((row) => row[i]!.length)),
  );
  const isWord = columns.map((_, i) => rows.some((row) => typeof row[i] === "string"));
  const line = (row: readonly string[]) =>
    `  ${row.map((text, i) => (isWord[i] ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join("  ")}`.trimEnd();
  return `  ${title}\n${[heads, ...cells].map((row) => `${line(row)}\n`).join("")}`;
}
