import { makeCertificate } from "./certificate.ts";
import { expectedText } from "./index-page.ts";
import { allCases } from "./rows/all-rows.ts";

/** The port in the documentation. */
const PORT = 8000;

/** The cases as a table of Markdown: docs/hostile.md holds it, and a test compares the two. */
export function casesMarkdown(): string {
  const cases = allCases({
    port: PORT,
    securePort: PORT + 443,
    target: `127.66.0.2:${PORT}`,
    evil: `127.66.0.3:${PORT}`,
    canary: `127.0.0.1:${PORT}`,
    canary6: `[::1]:${PORT}`,
    issuer: makeCertificate({ name: "docs", authority: true }).issuer,
  });
  const lines = cases.map(({ row, name, serves, expected, needs }) => {
    const [first, ...others] = expected.map(expectedText);
    const more = others.length > 2 ? [`${others.length} more of the kind`] : others;
    const answer = [first ?? "", others.length > 2 ? others[0] : "", ...more].filter(Boolean);
    const later = needs === undefined ? "" : ` (needs ${needs})`;
    return `| ${row} | ${name} | ${cell(serves)}${later} | ${answer.map((text) => cell(text!)).join("; ")} |`;
  });
  return [
    "| row | case | what is served | what the crawler answers |",
    "|---|---|---|---|",
    ...lines,
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** Escapes what would end the cell or be read as markup. */
function cell(text: string): string {
  return (
    text
      .replace(/[\\|<>*_`[\]]/g, "\\$&")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
      .replace(/[\x00-\x1f\x7f]/g, (c) => `\\\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`)
  );
}
