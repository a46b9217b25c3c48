import { availableParallelism } from "node:os";
import { join } from "node:path";
import { linePlot } from "../../stats/plot/line-plot.ts";
import { PROFILES, type WebProfile } from "../../web/profile.ts";
import type { RemoteWeb } from "../../web/web-process.ts";
import { counted, type Experiment, measured } from "../experiment.ts";
import { timedRate, webText, withWeb } from "../lab-web.ts";
import { rounded, spreadOf } from "../run-spread.ts";

const LINKS = [4, 16, 64, 256];
const BUILDERS = [1, 2];
/** A setting with less of everything is as good if it reaches this much of the best rate. */
const GOOD_ENOUGH = 0.95;

interface Setting {
  readonly threads: number;
  readonly linksPerThread: number;
  readonly builders: number;
}

interface Tried extends Setting {
  readonly rates: number[];
  /** CPU milliseconds of this process per page. */
  readonly cpuMs: number;
}

/** Which settings are best on this machine and web, written as a configuration file. */
export const experiment: Experiment = {
  name: "tune",
  document: "ours",
  question: "How many threads, links per thread and builders are best on this machine and web?",
  seconds: { quick: 20, normal: 100, full: 135 },
  async run(run) {
    const profile: WebProfile = {
      ...PROFILES.small,
      seed: run.seed,
      hosts: 12,
      pages: 30_000,
      latencyMs: { median: 20, spread: 0.5 },
    };
    const maxMs = run.pick(400, 3000, 4000);
    const repeats = run.repeats(2, 3, 3);
    const cores = availableParallelism();
    const counts = [...new Set([1, Math.min(2, cores), Math.min(4, cores)])];
    const links = run.pick(LINKS.slice(1), LINKS, LINKS);
    run.plan((counts.length * links.length + BUILDERS.length - 1) * repeats);
    const tried: Tried[] = [];
    const attempt = async (web: RemoteWeb, setting: Setting) => {
      const runs: { rate: number; cpuMs: number }[] = [];
      for (let i = 0; i < repeats; i++) {
        const key = `${setting.threads}-${setting.linksPerThread}-${setting.builders}-${i}`;
        const once = async () => {
          const out = join(run.scratch, key);
          const limit = { maxMs, signal: run.signal };
          const { result: report, rate } = await timedRate(web, out, { ...setting }, limit);
          return { rate, cpuMs: (1000 * report.cpuSeconds) / Math.max(1, report.pages) };
        };
        runs.push(await run.step(key, once));
      }
      const cpuMs = spreadOf(runs.map((each) => each.cpuMs)).mean;
      tried.push({ ...setting, rates: runs.map(({ rate }) => rate), cpuMs });
    };
    // One web for all: starting a process would take longer than a run.
    await withWeb({ profile }, async (web) => {
      for (const threads of counts) {
        for (const linksPerThread of links)
          await attempt(web, { threads, linksPerThread, builders: 1 });
      }
      for (const builders of BUILDERS.slice(1)) {
        const { threads, linksPerThread } = chosen(tried);
        await attempt(web, { threads, linksPerThread, builders });
      }
    });
    const best = chosen(tried);
    const rate = Math.round(spreadOf(best.rates).mean);
    return {
      setup: `${webText(profile)} No delay, WARC stored, ${maxMs} ms per run from its first page on, ${repeats} ${repeats === 1 ? "run" : "runs"} each on ${cores} cores. Of settings that reach ${100 * GOOD_ENOUGH} % of the best rate the smallest is chosen. Threads and links per thread first, then builders.`,
      tables: [
        {
          title: "Pages per second by setting",
          columns: [
            counted("threads"),
            counted("links per thread"),
            measured("builders"),
            measured("rate, mean", "pages/s"),
            measured("least", "pages/s"),
            measured("most", "pages/s"),
            measured("CPU per page", "ms"),
            measured("chosen"),
          ],
          // The setting that builders are tried on depends on what was measured: it is not in the counted columns.
          rows: tried.slice(0, counts.length * links.length).map(row),
        },
        {
          title: "More builders, with the best threads and links",
          columns: [
            measured("threads"),
            measured("links per thread"),
            counted("builders"),
            measured("rate, mean", "pages/s"),
            measured("least", "pages/s"),
            measured("most", "pages/s"),
            measured("CPU per page", "ms"),
            measured("chosen"),
          ],
          rows: tried.slice(counts.length * links.length).map(row),
        },
      ],
      plots: [
        {
          name: "figure-rate",
          svg: linePlot({
            title: "Rate against links per thread, 1 builder",
            caption:
              "Links in flight hide latency until the processor is busy; more threads help only where there are cores for them. Bars show the least and the most of all runs.",
            x: { label: "links per thread", log: true },
            y: { label: "rate", unit: "pages/s" },
            series: counts.map((threads) => ({
              name: threads === 1 ? "1 thread" : `${threads} threads`,
              points: tried
                .filter((each) => each.threads === threads && each.builders === 1)
                .map(({ linksPerThread: x, rates }) => {
                  const { mean, low, high } = spreadOf(rates);
                  return { x, y: mean, low, high };
                }),
            })),
          }),
        },
      ],
      paper: [],
      verdict: {
        // Nothing is claimed elsewhere: what was found is the answer.
        claim: "agrees",
        why: `${best.threads} ${best.threads === 1 ? "thread" : "threads"} with ${best.linksPerThread} links each and ${best.builders} ${best.builders === 1 ? "builder" : "builders"} suffice here (${rate} pages/s); tune-config.yaml holds them.`,
      },
      files: [{ name: "config.yaml", text: configText(best, rate) }],
    };

    function row(each: Tried) {
      const { mean, low, high } = spreadOf(each.rates);
      return [
        ...[each.threads, each.linksPerThread, each.builders],
        ...[mean, low, high].map((value) => rounded(value, 1)),
        rounded(each.cpuMs, 3),
        each === best,
      ];
    }
  },
};

/** The smallest setting that reaches nearly the best rate: fewer threads first, then fewer links, then fewer builders. */
function chosen(tried: readonly Tried[]): Tried {
  const rateOf = ({ rates }: Tried) => spreadOf(rates).mean;
  const most = Math.max(...tried.map(rateOf));
  return tried
    .filter((each) => rateOf(each) >= GOOD_ENOUGH * most)
    .reduce((a, b) => {
      const difference =
        b.threads - a.threads || b.linksPerThread - a.linksPerThread || b.builders - a.builders;
      return difference < 0 ? b : a;
    });
}

function configText({ threads, linksPerThread, builders }: Setting, rate: number): string {
  return [
    `# Found by "orbweaver lab tune": ${rate} pages/s on a synthetic web of this machine. Use it with --config.`,
    `threads: ${threads}`,
    `links-per-thread: ${linksPerThread}`,
    `builders: ${builders}`,
    "",
  ].join("\n");
}
