import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { startWatched } from "../browser/browser.ts";
import { collect, MAIN, orbweaver, tempFolder } from "../support/orbweaver.ts";

const PROFILE = { ...PROFILES.demo, pages: 600, hosts: 6, errorRate: 0.1 };

/** The last number of a row of the summary: of all runs, where there are several. */
function rowOf(text: string, name: string): number {
  const row = text.split("\n").find((line) => new RegExp(`^\\s*${name}\\s`).test(line)) ?? "";
  const bare = row.replace(/\([^)]*\)/g, "");
  return Number(/([\d,]+)\s*$/.exec(bare)?.[1]?.replaceAll(",", ""));
}

/** What terminal, summary.json, dashboard, metrics and report say of a crawl that has ended. */
async function fiveFigures(t: TestContext, out: string, terminal: string) {
  const { code } = await orbweaver(["report", out]);
  assert.equal(code, 0);
  const json = (name: string) => JSON.parse(readFileSync(join(out, "reports", name), "utf8"));
  const summary = json("summary.json");
  const dashboard = await startWatched(["dashboard", out]);
  t.after(() => dashboard.kill("SIGKILL"));
  const status = await fetch(`${dashboard.origin}/api/status?token=${dashboard.token}`);
  const { figures } = (await status.json()) as { figures: Record<string, number> };
  const metrics = await (await fetch(`${dashboard.origin}/metrics`)).text();
  const metric = (name: string) =>
    Number(new RegExp(`^orbweaver_${name} (\\S+)$`, "m").exec(metrics)?.[1]);
  dashboard.kill("SIGTERM");
  await dashboard.ended;
  return {
    pages: [
      summary.pages,
      rowOf(terminal, "pages"),
      figures.pages,
      metric("pages_total"),
      json("report.json").pages,
    ],
    failed: [
      summary.failed,
      rowOf(terminal, "failed"),
      figures.failed,
      metric("failed_urls_total"),
    ],
    refused: [
      summary.refused,
      rowOf(terminal, "refused"),
      figures.refused,
      metric("refused_urls_total"),
    ],
    bytes: [summary.bytes, figures.bytes, metric("received_bytes_total")],
    known: [summary.urlsKnown, figures.known, metric("known_urls_total")],
    queued: [summary.urlsQueued, figures.queued, metric("queued_urls")],
    runs: [summary.runs, figures.run, metric("runs")],
    seconds: [summary.seconds, figures.seconds, metric("crawl_seconds")],
  };
}

function assertSame(figures: Record<string, unknown[]>): void {
  for (const [name, values] of Object.entries(figures))
    assert.equal(new Set(values).size, 1, `${name}: ${values.join(", ")}`);
}

for (const [how, signal] of [
  ["at its end", undefined],
  ["after a stop and a resume", "SIGINT"],
  ["after kill -9 and a resume", "SIGKILL"],
] as const)
  test(`five places tell the same figures of a crawl ${how}`, async (t) => {
    const web = await startWeb({ profile: PROFILE });
    t.after(() => web.close());
    const out = join(tempFolder(t), "out");
    const args = ["crawl", ...web.start, "--scope", "any", "--out", out, "--threads", "2"];
    const more = ["--allow-private", "127.0.0.0/8", "--delay", "5"];
    const child = spawn(process.execPath, [MAIN, ...args, ...more], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { ended } = collect(child);
    let terminal: string;
    if (signal === undefined) terminal = (await ended).stdout;
    else {
      // In the middle: as soon as there is a second line of the series.
      const series = join(out, "reports", "series.jsonl");
      const lines = () =>
        existsSync(series) ? readFileSync(series, "utf8").split("\n").length : 0;
      while (lines() < 3 && child.exitCode === null)
        await new Promise((resolve) => setTimeout(resolve, 20));
      child.kill(signal);
      await ended;
      terminal = (await orbweaver(["resume", out])).stdout;
    }
    const figures = await fiveFigures(t, out, terminal);
    assertSame(figures);
    assert.ok((figures.pages[0] as number) > 100 && (figures.failed[0] as number) > 0);
    assert.equal(figures.runs[0], signal === undefined ? 1 : 2);
  });
