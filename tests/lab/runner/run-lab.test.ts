import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { counted, type Experiment, measured } from "../../../src/lab/experiment.ts";
import { runLab } from "../../../src/lab/runner/run-lab.ts";
import { linePlot } from "../../../src/stats/plot/line-plot.ts";
import { tempFolder } from "../../support/orbweaver.ts";

/** Two steps and a result that hostile words went into; `ran` tells which steps were really done. */
function experiment(name: string, ran: string[], onStep: (key: string) => void = () => {}) {
  const found: Experiment = {
    name,
    document: "ours",
    question: "Is <b>this</b> escaped?",
    seconds: { quick: 1, normal: 2, full: 3 },
    async run(run) {
      run.plan(2);
      const values: number[] = [];
      for (const key of ["a", "b"]) {
        values.push(
          await run.step(key, () => {
            ran.push(`${name} ${key}`);
            onStep(key);
            return run.seed * 10 + values.length;
          }),
        );
      }
      return {
        setup: `repeats ${run.repeats(1, 2, 3)} | pick ${run.pick("q", "n", "f")}`,
        tables: [
          {
            title: "values",
            columns: [counted("key"), measured("time", "s")],
            rows: values.map((value) => [value, 0.5]),
          },
        ],
        plots: [
          {
            name: "figure",
            svg: linePlot({ title: "t", x: { label: "x" }, y: { label: "y" }, series: [] }),
          },
        ],
        paper: [{ what: "w", paper: "1", ours: "<2>", agrees: false }],
        verdict: { claim: "differs", why: "<script>" },
      };
    },
  };
  return { name, document: found.document, summary: "", load: async () => found };
}

function optionsFor(out: string, signal = new AbortController().signal) {
  const told: string[] = [];
  return {
    told,
    out,
    signal,
    seed: 3,
    size: "quick" as const,
    repeat: undefined,
    graph: undefined,
    sync: undefined,
    now: () => 0,
    onProgress: (text: string) => told.push(text),
    onDone: () => {},
  };
}

const read = (...path: string[]) => readFileSync(join(...path), "utf8");

test("results are JSON, Markdown, SVG and one page without markup from outside", async (t) => {
  const folder = tempFolder(t);
  const out = join(folder, "results");
  await runLab([experiment("one", [])], optionsFor(out));
  const { machine, versions, ...rest } = JSON.parse(read(out, "one.json"));
  assert.deepEqual(rest, {
    name: "one",
    seed: 3,
    quick: true,
    tables: [
      {
        title: "values",
        columns: [
          { name: "key", unit: "", deterministic: true },
          { name: "time", unit: "s", deterministic: false },
        ],
        rows: [
          [30, 0.5],
          [31, 0.5],
        ],
      },
    ],
    runs: [
      { key: "a", seconds: 0, value: 30 },
      { key: "b", seconds: 0, value: 31 },
    ],
  });
  assert.ok(machine.cores > 0 && versions.node === process.versions.node);
  assert.match(read(out, "one-figure.svg"), /^<svg/);
  const page = read(out, "lab.html");
  assert.match(page, /&#60;script&#62;/);
  assert.doesNotMatch(page, /<script|src=|https?:(?!\/\/www\.w3\.org)/);
  assert.match(read(out, "one.md"), /Is \\<b\\>this\\<\/b\\> escaped/);
  assert.deepEqual(
    readdirSync(out).filter((file) => file.endsWith(".tmp")),
    [],
  );
});

test("a run that was stopped goes on behind the last step", async (t) => {
  const folder = tempFolder(t);
  const stop = new AbortController();
  const ran: string[] = [];
  const entries = [
    experiment("one", ran),
    experiment("two", ran, (key) => key === "a" && stop.abort()),
  ];
  await assert.rejects(runLab(entries, optionsFor(folder, stop.signal)), { exitCode: 130 });
  assert.deepEqual(ran, ["one a", "one b", "two a"]);
  assert.ok(existsSync(join(folder, "one.json")) && !existsSync(join(folder, "two.json")));
  const done = await runLab([experiment("one", ran), experiment("two", ran)], optionsFor(folder));
  assert.deepEqual(ran, ["one a", "one b", "two a", "two b"]);
  assert.deepEqual(
    done.map(({ isKept }) => isKept),
    [true, false],
  );
  // It is over: the next run begins anew.
  await runLab([experiment("one", ran)], optionsFor(folder));
  assert.deepEqual(ran.slice(4), ["one a", "one b"]);
});

test("the time of an experiment that was interrupted is that of all its parts", async (t) => {
  const folder = tempFolder(t);
  const stop = new AbortController();
  let ms = 0;
  const entry = (onStep: (key: string) => void) =>
    experiment("one", [], (key) => {
      ms += 1500;
      onStep(key);
    });
  const now = () => ms;
  const first = entry(() => stop.abort());
  await assert.rejects(runLab([first], { ...optionsFor(folder, stop.signal), now }));
  const [done] = await runLab([entry(() => {})], { ...optionsFor(folder), now });
  assert.equal(done!.seconds, 3);
});

test("other parameters begin anew", async (t) => {
  const folder = tempFolder(t);
  const stop = new AbortController();
  const ran: string[] = [];
  const entry = experiment("one", ran, () => stop.abort());
  await assert.rejects(runLab([entry], optionsFor(folder, stop.signal)));
  await runLab([experiment("one", ran)], { ...optionsFor(folder), seed: 4 });
  assert.deepEqual(ran, ["one a", "one a", "one b"]);
  assert.deepEqual(JSON.parse(read(folder, "one.json")).tables[0].rows[0], [40, 0.5]);
});
