import { join } from "node:path";
import { linePlot } from "../../stats/plot/line-plot.ts";
import { PROFILES, type WebProfile } from "../../web/profile.ts";
import { counted, type Experiment, measured } from "../experiment.ts";
import { mostLimiting, timedRate, webText, withWeb } from "../lab-web.ts";
import { rounded, spreadOf } from "../run-spread.ts";

const IN_FLIGHT = [1, 10, 25, 50, 100, 200, 500];
const MAX_PAGES = 2000;
/** The document's table 1. */
const PAPER: Readonly<Record<number, number>> = {
  ...{ 1: 0.8745, 10: 6.6085, 25: 5.6072, 50: 7.4239, 100: 7.5306, 200: 7.3023, 500: 7.2017 },
};

interface Rate {
  readonly how: string;
  readonly inFlight: number;
  readonly rates: readonly number[];
  readonly pages: number;
  readonly limitedBy: readonly (string | null)[];
}

/** 0 where nothing came in the time there was. */
const ratio = (value: number, one: number) => (one > 0 ? value / one : 0);

/** Table 1 of document 004: pages per second against requests in flight. */
export const experiment: Experiment = {
  name: "threads",
  document: "004",
  question:
    "How many pages per second do 1 to 500 requests in flight fetch, and why does it stop growing (table 1)?",
  seconds: { quick: 22, normal: 180, full: 230 },
  async run(run) {
    const profile: WebProfile = {
      ...PROFILES.small,
      seed: run.seed,
      hosts: 20,
      pages: 20_000,
      minBytes: 1024,
      latencyMs: { median: run.pick(20, 50, 50), spread: 0.5 },
      errorRate: 0.02,
    };
    const maxMs = run.pick(450, 4000, 5000);
    const delayMs = run.pick(50, 100, 100);
    const ways = { open: { delayMs: 0 }, polite: { delayMs, perHost: 1 } } as const;
    const repeats = run.repeats(2, 3, 3);
    const inFlight = run.pick([1, 10, 50, 100, 500], IN_FLIGHT, IN_FLIGHT);
    run.plan(2 * inFlight.length * repeats);
    // One web for all: starting a process would take longer than a run.
    const found = await withWeb({ profile }, async (web) => {
      const all: Rate[] = [];
      for (const [how, settings] of Object.entries(ways)) {
        for (const requests of inFlight) {
          const runs: { rate: number; pages: number; limitedBy: string | null }[] = [];
          for (let i = 0; i < repeats; i++) {
            const key = `${how} ${requests} ${i}`;
            const once = async () => {
              const threads = Math.min(2, requests);
              const linksPerThread = Math.ceil(requests / threads);
              const out = join(run.scratch, key.replaceAll(" ", "-"));
              const limits = { maxPages: MAX_PAGES, threads, linksPerThread };
              const given = { ...limits, store: "none" as const, ...settings };
              const { signal } = run;
              const { rate, pages } = await timedRate(web, out, given, { maxMs, signal });
              return { pages, rate, limitedBy: mostLimiting(out) };
            };
            runs.push(await run.step(key, once));
          }
          all.push({
            how,
            inFlight: requests,
            rates: runs.map(({ rate }) => rate),
            pages: spreadOf(runs.map(({ pages }) => pages)).mean,
            limitedBy: runs.map(({ limitedBy }) => limitedBy),
          });
        }
      }
      return all;
    });
    const rateOf = (how: string, requests: number) => {
      const row = found.find((each) => each.how === how && each.inFlight === requests);
      return row === undefined ? Number.NaN : spreadOf(row.rates).mean;
    };
    const best = (how: string) =>
      found
        .filter((each) => each.how === how)
        .reduce((a, b) => (rateOf(how, b.inFlight) > rateOf(how, a.inFlight) ? b : a));
    const last = inFlight.at(-1)!;
    const gain = ratio(rateOf("open", 10), rateOf("open", 1));
    const middle = inFlight.find((requests) => requests >= 25) ?? last;
    const isFlat = rateOf("polite", last) < 1.3 * rateOf("polite", middle);
    const bound =
      profile.hosts / ((delayMs + (profile.latencyMs as { median: number }).median) / 1000);
    return {
      setup: `${webText(profile)} At most ${MAX_PAGES} pages and ${maxMs} ms per run, from the first page on (the document: until 2,000 pages are fetched); T is requests in flight, in at most 2 crawler threads. Open: no delay. Polite: one request per host at a time and ${delayMs} ms between two, so at most ${Math.round(bound)} pages/s whatever T is. Not stored. The rate is that of answers from the first to the last, without starting and ending. Limited by: the factor of most seconds of reports/series.jsonl, where a run is long enough. ${repeats} ${repeats === 1 ? "run" : "runs"} each.`,
      tables: [
        {
          title: `Table 1: pages per second against requests in flight, limit ${MAX_PAGES} pages or ${maxMs} ms`,
          columns: [
            counted("web"),
            counted("T", "requests in flight"),
            measured("pages fetched"),
            measured("rate, mean", "pages/s"),
            measured("least", "pages/s"),
            measured("most", "pages/s"),
            measured("against T = 1"),
            measured("limited by"),
            counted("document", "pages/s"),
            counted("document, against T = 1"),
          ],
          rows: found.map(({ how, inFlight: requests, rates, pages, limitedBy }) => {
            const { mean, low, high } = spreadOf(rates);
            return [
              how,
              requests,
              Math.round(pages),
              ...[mean, low, high].map((rate) => rounded(rate, 1)),
              rounded(ratio(mean, rateOf(how, 1)), 2),
              [...new Set(limitedBy.filter((factor) => factor !== null))].join(", ") || null,
              PAPER[requests] ?? null,
              rounded((PAPER[requests] ?? 0) / PAPER[1]!, 2),
            ];
          }),
        },
      ],
      plots: [
        {
          name: "table-1",
          svg: linePlot({
            title: "Table 1: rate against requests in flight, in parts of that of one",
            caption:
              "Without a delay the rate grows with the requests in flight until the processor is busy. With politeness it stops as soon as every host is asked: so does the document's, whose pages came from few hosts. Bars show the least and the most of all runs.",
            x: { label: "requests in flight", log: true },
            y: { label: "rate / rate of one request in flight", log: true },
            series: [
              ...Object.keys(ways).map((how) => ({
                name: how,
                points: found
                  .filter((each) => each.how === how)
                  .map(({ inFlight: x, rates }) => {
                    const { mean, low, high } = spreadOf(rates);
                    const one = rateOf(how, 1);
                    return { x, y: ratio(mean, one), low: ratio(low, one), high: ratio(high, one) };
                  }),
              })),
              {
                name: "document",
                draw: "dashed" as const,
                points: inFlight.map((x) => ({ x, y: PAPER[x]! / PAPER[1]! })),
              },
            ],
          }),
        },
      ],
      paper: [
        {
          what: "10 requests in flight against 1",
          paper: "7.6 times",
          ours: `${rounded(gain, 1)} times without a delay, ${rounded(ratio(rateOf("polite", 10), rateOf("polite", 1)), 1)} times politely`,
          agrees: gain > 4,
        },
        {
          what: "best number of threads",
          paper: "100 (7.53 pages/s)",
          ours: `${best("open").inFlight} without a delay (${rounded(rateOf("open", best("open").inFlight), 0)} pages/s), ${best("polite").inFlight} politely (${rounded(rateOf("polite", best("polite").inFlight), 0)} pages/s)`,
        },
        {
          what: "hardly any gain above 10 to 25",
          paper: "5.6 to 7.5 pages/s from 10 on",
          ours: isFlat ? "so with politeness, which is what bounds it" : "not seen",
          agrees: isFlat,
        },
      ],
      verdict: {
        claim: gain > 4 && isFlat ? "agrees" : "partly",
        why: `10 requests in flight are ${rounded(gain, 1)} times as fast as one (document: 7.6), and a polite crawl ${isFlat ? "stops gaining when every host is asked; the document puts that down to bandwidth and servers, but its own delay per host and few hosts suffice" : "still gains beyond that here"}. The absolute rate is that of the web, not of the crawler.`,
      },
    };
  },
};
