import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SUMMARY_KEYS } from "../src/cli/print-summary.ts";
import { type Measured, reportOf } from "../src/crawl/crawl-summary.ts";
import { ERROR_CODES, meaningOf } from "../src/crawl/visit/error-codes.ts";
import { EXIT } from "../src/errors.ts";
import { OUTCOME } from "../src/frontier/finish.ts";
import { totals } from "../src/stats/counters.ts";
import { HourlyStatistics } from "../src/stats/hourly-statistics.ts";
import { NO_RUNS } from "../src/store/folder/run-history.ts";
import { writeStatistics } from "../src/store/reports/result-lists.ts";
import { root } from "./support/conformance.ts";
import { readLines, tempFolder } from "./support/orbweaver.ts";

const DOC = readFileSync(join(root, "docs/outcomes.md"), "utf8");
const README = readFileSync(join(root, "README.md"), "utf8");

/** The rows of the tables whose head begins with this, as cells; several tables may have the same head. */
function rowsOf(text: string, head: string): string[][] {
  const tables = text.split("\n\n").filter((part) => part.includes(`${head}\n|---`));
  assert.ok(tables.length > 0, head);
  return tables.flatMap((table) =>
    table
      .slice(table.indexOf(head))
      .split("\n")
      .slice(2)
      .filter((line) => line.startsWith("|"))
      .map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
  );
}

/** What stands in backticks in the first cell of each row. */
function namesIn(rows: readonly string[][]): string[] {
  return rows.flatMap(([first]) => [...first!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
}

function sources(...rooms: string[]): string {
  const files = rooms.flatMap((room) => {
    const folder = join(root, "src", room);
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return names.filter((name) => name.endsWith(".ts")).map((name) => join(folder, name));
  });
  return files.map((file) => readFileSync(file, "utf8")).join("\n");
}

test("docs/outcomes.md lists every exit code and outcome, and the README every exit code", () => {
  const exits = rowsOf(DOC, "| Code | Name | When |").map(([code, name]) => `${code} ${name}`);
  assert.deepEqual(
    exits,
    Object.entries(EXIT).map(([name, code]) => `${code} \`${name}\``),
  );
  const paragraph = /\*\*Exit codes\*\*[\s\S]*?\n\n/.exec(README)?.[0] ?? "";
  for (const code of Object.values(EXIT))
    assert.match(paragraph, new RegExp(`\\b${code}\\b`), String(code));
  const outcomes = rowsOf(DOC, "| Outcome | Number | Meaning | Counted in |");
  const numbered = outcomes.map(([name, number]) => [name!.slice(1, -1), number]);
  assert.deepEqual(numbered, [
    ...Object.entries(OUTCOME).map(([name, number]) => [name, String(number)]),
    ["unavailable", ""],
  ]);
});

test("docs/outcomes.md lists every code of an error, and the sources have no other", () => {
  const all = rowsOf(DOC, "| Code | Meaning |");
  const codes = all.filter(([code]) => !code!.includes("OW_"));
  assert.deepEqual(
    codes,
    Object.entries(ERROR_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]),
  );
  const own = new Set(sources(".").match(/(?<=")OW_[A-Z_]+(?=")/g));
  assert.deepEqual(new Set(namesIn(all).filter((name) => name.startsWith("OW_"))), own);
  // Words with an underscore in these rooms are codes, but for a few.
  const others = ["image_src", "link_local", "no_group", "no_rule", "until_close"];
  const text = sources("fetch", "crawl", "parse", "url");
  const found = new Set(text.match(/(?<=")[a-z0-9]+(?:_[a-z0-9]+)+(?=")/g));
  for (const other of others) assert.ok(found.delete(other), other);
  for (const code of found) assert.ok(Object.hasOwn(ERROR_CODES, code), `${code} has no sentence`);
  for (const code of Object.keys(ERROR_CODES))
    assert.match(text, new RegExp(`"${code}"`), `${code} occurs nowhere`);
  assert.equal(meaningOf("http_404"), "the server answered with status 404");
  assert.match(meaningOf("robots_status_503"), /^robots\.txt was answered with status 503/);
});

test("docs/outcomes.md and the README define every count of the summary and the reports", (t) => {
  const none = totals(new SharedArrayBuffer(0));
  const measured: Measured = {
    ...{ ended: "finished", out: "", seconds: 0, cpuSeconds: 0, maxRssMiB: 0, endingMs: 0 },
    ...{ before: none, history: NO_RUNS, limit: null, next: null, seedFaults: [] },
  };
  const report = reportOf(none, measured, { queued: 0, lost: 0, problems: [] });
  assert.deepEqual(namesIn(rowsOf(DOC, "| Field | Counts | Definition |")), Object.keys(report));
  assert.deepEqual(Object.keys(report).slice(0, SUMMARY_KEYS.length), SUMMARY_KEYS);
  assert.deepEqual(
    namesIn(rowsOf(DOC, "| Field of `thisRun` | Definition |")),
    Object.keys(report.thisRun),
  );
  const inReadme = namesIn(rowsOf(README, "| Field | Meaning |"));
  assert.deepEqual([...inReadme].sort(), [...SUMMARY_KEYS].sort());

  const folder = tempFolder(t);
  const facts = { seconds: 1, threads: 1, buffers: 1, endedBy: "" };
  writeStatistics(folder, { crawled: 0, uncrawled: 0, seeds: 0 }, facts);
  const rows = readFileSync(join(folder, "statistics.txt"), "utf8").match(/^[^:\n]+(?=:)/gm);
  assert.deepEqual(namesIn(rowsOf(DOC, "| Row | Definition |")), rows);

  const hourly = join(folder, "hourly.jsonl");
  const statistics = new HourlyStatistics(hourly, 1, 0);
  const sample = { stored: 0, bytes: 0, queues: [], buffers: [] };
  statistics.begin({ run: 1, lostSeconds: 0 }, 0, sample);
  statistics.close(1, 0, sample);
  const [line] = readLines(hourly);
  assert.deepEqual(namesIn(rowsOf(DOC, "| Field | Definition |")), Object.keys(line!));
});
