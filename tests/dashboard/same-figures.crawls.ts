import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { startWatched } from "../browser/browser.ts";
import { collect, MAIN, orbweaver, tempFolder } from "../support/orbweaver.ts";
import { checkMetrics } from "../support/promtool.ts";

const PROFILE = { ...PROFILES.demo, pages: 600, hosts: 6, errorRate: 0.1 };

/** The last number of a row of the summary: of all runs, where there are several. */
function rowOf(text: string, name: string): number {
  const row = text.split("\n").find((line) => new RegExp(`^\\s*${name}\\s`).test(line)) ?? "";
  const bare = row.replace(/\([^)]*\)/g, "");
  return Number(/([\d,]+)\s*$/.exec(bare)?.[1]?.replaceAll(",", ""));
}

const json = (out: string, name: string) =>
  JSON.parse(readFileSync(join(out, "reports", name), "utf8"));

/** URLs of all codes of a report. */
const urlsOf = (groups: { urls: number }[]) => groups.reduce((sum, { urls }) => sum + urls, 0);

/** What the dashboard of a folder and its metrics say. */
async function watched(t: TestContext, out: string) {
  const dashboard = await startWatched(["dashboard", out]);
  t.after(() => dashboard.kill("SIGKILL"));
  const status = await fetch(`${dashboard.origin}/api/status?token=${dashboard.token}`);
  const { figures } = (await status.json()) as { figures: Record<string, number> };
  const metrics = await (await fetch(`${dashboard.origin}/metrics`)).text();
  checkMetrics(metrics);
  const metric = (name: string) =>
    Number(new RegExp(`^orbweaver_${name} (\\S+)$`, "m").exec(metrics)?.[1]);
  dashboard.kill("SIGTERM");
  await dashboard.ended;
  const codes = [...metrics.matchAll(/^orbweaver_errors_total\{code="\w+"\} (\d+)$/gm)];
  return { figures, metric, errors: codes.reduce((sum, [, count]) => sum + Number(count), 0) };
}

/** What terminal, summary.json, dashboard, metrics and report say of a crawl that has ended. */
async function fiveFigures(t: TestContext, out: string, terminal: string) {
  const { code } = await orbweaver(["report", out]);
  assert.equal(code, 0);
  const [summary, report] = [json(out, "summary.json"), json(out, "report.json")];
  const { figures, metric } = await watched(t, out);
  return {
    pages: [
      summary.pages,
      rowOf(terminal, "pages"),
      figures.pages,
      metric("pages_total"),
      report.pages,
    ],
    failed: [
      summary.failed,
      rowOf(terminal, "failed"),
      figures.failed,
      metric("failed_urls_total"),
      urlsOf(report.failed),
    ],
    refused: [
      summary.refused,
      rowOf(terminal, "refused"),
      figures.refused,
      metric("refused_urls_total"),
      urlsOf([...report.refused, ...report.trapped]),
    ],
    bytes: [summary.bytes, figures.bytes, metric("received_bytes_total")],
    known: [summary.urlsKnown, figures.known, metric("known_urls_total")],
    queued: [summary.urlsQueued, figures.queued, metric("queued_urls")],
    runs: [summary.runs, figures.run, metric("runs")],
    redirects: [figures.redirects, metric("redirects_total"), report.redirects.urls],
    seconds: [
      ...[summary.seconds, figures.seconds, metric("crawl_seconds")],
      ...[report.activeSeconds, report.course.at(-1).seconds],
    ],
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

test("after kill -9 and recover, dashboard, metrics, report and log tell the same", async (t) => {
  const web = await startWeb({ profile: PROFILE });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const args = ["crawl", ...web.start, "--scope", "any", "--out", out, "--threads", "2"];
  const more = ["--allow-private", "127.0.0.0/8", "--delay", "5", "--quiet"];
  const child = spawn(process.execPath, [MAIN, ...args, ...more], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const log = join(out, "logs", "crawl.jsonl");
  const isUnderWay = () => existsSync(log) && readFileSync(log, "utf8").includes('"failed"');
  while (!isUnderWay() && child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGKILL");
  await ended;
  assert.equal((await orbweaver(["recover", out])).code, 0);
  assert.equal((await orbweaver(["report", out])).code, 0);
  const report = json(out, "report.json");
  const { figures, metric, errors } = await watched(t, out);
  const lines = readFileSync(log, "utf8").trimEnd().split("\n");
  const logged = (outcome: string) =>
    lines.filter((line) => line.includes(`"outcome":"${outcome}"`)).length;
  const failures = logged("failed") + logged("refused");
  assertSame({
    pages: [logged("page"), figures.pages, metric("pages_total"), report.pages],
    failed: [
      ...[logged("failed"), figures.failed, metric("failed_urls_total")],
      urlsOf(report.failed),
    ],
    refused: [
      ...[logged("refused"), figures.refused, metric("refused_urls_total")],
      urlsOf([...report.refused, ...report.trapped]),
    ],
    errors: [failures, errors],
    known: [figures.known, metric("known_urls_total"), figures.queued! + lines.length],
  });
  assert.equal(figures.state, "died");
  assert.ok(report.pages > 0 && failures > 0);
});
