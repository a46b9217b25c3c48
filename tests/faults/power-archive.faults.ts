import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readNewestRun } from "../../src/crawl/ending/reports.ts";
import { readCrawlState } from "../../src/store/folder/crawl-folder.ts";
import { recoverFolder } from "../../src/store/recover/recover-folder.ts";
import { type Drill, Random, withFolder } from "./drill.ts";
import { LossyDisk, materialise } from "./lossy-disk.ts";
import { readOnDisk } from "./on-disk.ts";
import type { Call } from "./record-calls.ts";
import { recordCrawl } from "./recorded-crawl.ts";
import { readWhole } from "./whole-folder.ts";

/** Disks that one loss of power may leave, in the full form. */
const WAYS_PER_CALL = 3;
/** In the short form. */
const SHORT_RECOVER_EVERY = 6;

const isArchive = (call: Call) => "path" in call && call.path.includes("/archive/");
const isJournal = (call: Call) => "path" in call && call.path.endsWith(".journal");

/** What a broken program would have done instead: each must lose something. */
const MUTANTS: readonly [name: string, change: (calls: readonly Call[]) => Call[]][] = [
  [
    "the archive is not synced",
    (calls) => calls.filter((call) => !(call.op === "sync" && isArchive(call))),
  ],
  ["the journal is written before the archive", journalsFirst],
];

/**
 * The calls of a real crawl that rotates its archive are recorded, and the power fails behind each of them: every disk
 * that is left is recovered, and archive, index and lists must hold every page whose commit was told.
 */
export const drill: Drill = {
  name: "power-archive",
  short: { count: 60, pages: 40 },
  full: { count: Number.POSITIVE_INFINITY, pages: 120 },
  async run({ count, pages, seed }) {
    return withFolder(async (folder) => {
      const out = join(folder, "out");
      const calls = await recordCrawl({ out, folder, pages, more: ["--rotate-pages", "15"] });
      const left = join(folder, "left");
      const every = Math.max(1, Math.ceil(calls.length / count));
      const lose = (changed: readonly Call[], recoverEvery: number) =>
        new PowerLoss(changed, out, left, new Random(seed)).first(every, recoverEvery);
      const whole = lose(calls, every === 1 ? 1 : SHORT_RECOVER_EVERY);
      const problems = whole.problem === undefined ? [] : [whole.problem];
      let caught = 0;
      for (const [name, change] of MUTANTS) {
        if (lose(change(calls), Number.POSITIVE_INFINITY).problem === undefined)
          problems.push(`not noticed: ${name}`);
        else caught++;
      }
      const figures = {
        losses: whole.losses,
        calls: calls.length,
        promised: whole.promised,
        orphans: whole.orphans,
        mutants: `${caught}/${MUTANTS.length}`,
      };
      return { figures, problems };
    });
  },
};

/** Between two answers of the builder, what concerns the archive comes behind what concerns journals. */
function journalsFirst(calls: readonly Call[]): Call[] {
  const changed: Call[] = [];
  let held: Call[] = [];
  for (const call of calls) {
    if (isArchive(call) && (call.op === "write" || call.op === "sync")) {
      held.push(call);
      continue;
    }
    // Nothing may come behind its file's renaming.
    if (call.op === "told" || (held.length > 0 && isArchive(call))) {
      changed.push(...held);
      held = [];
    }
    changed.push(call);
  }
  return [...changed, ...held];
}

class PowerLoss {
  readonly #calls: readonly Call[];
  readonly #out: string;
  readonly #left: string;
  readonly #random: Random;
  #promised: ReadonlySet<string> = new Set();
  losses = 0;
  orphans = 0;
  promised = 0;
  problem: string | undefined;

  constructor(calls: readonly Call[], out: string, left: string, random: Random) {
    this.#calls = calls;
    this.#out = out;
    this.#left = left;
    this.#random = random;
  }

  /** Lets the power fail behind every n-th call until a promise is broken; of the disks left some are recovered. */
  first(every: number, recoverEvery: number): this {
    const disk = new LossyDisk();
    for (const [index, call] of this.#calls.entries()) {
      disk.apply(call);
      if (call.op === "told" && this.#calls[index + 1]?.op !== "told") {
        this.#materialise(disk.all());
        this.#promised = readOnDisk(this.#left).doneNames;
      }
      // Calls around a commit are never left out: there it is decided what is lost.
      if (index % every !== 0 && !(isArchive(call) || isJournal(call))) continue;
      for (
        let way = 0;
        way < (every === 1 ? WAYS_PER_CALL : 1) && this.problem === undefined;
        way++
      ) {
        this.#lose(disk, way === 0 ? recoverEvery : Number.POSITIVE_INFINITY, index);
      }
      if (this.problem !== undefined) break;
    }
    this.promised = this.#promised.size;
    return this;
  }

  #lose(disk: LossyDisk, recoverEvery: number, index: number): void {
    this.#materialise(disk.loss(this.#random));
    // Before the folder is whole there is no crawl to recover.
    if (this.#promised.size === 0 && readState(this.#left) === undefined) return;
    this.losses++;
    const broken = this.#broken(this.losses % recoverEvery === 0);
    if (broken !== undefined)
      this.problem = `after call ${index} of ${this.#calls.length}: ${broken}`;
  }

  #broken(full: boolean): string | undefined {
    try {
      const before = readOnDisk(this.#left);
      for (const name of this.#promised)
        if (!before.doneNames.has(name)) return "a page that was promised is lost";
      if (before.problems.length > 0 || !full) return before.problems[0];
      const { damages, orphans } = recoverFolder(this.#left, readNewestRun(this.#left));
      this.orphans += orphans;
      const [damage] = damages;
      if (damage !== undefined) return `${damage.file}:${damage.offset}: ${damage.what}`;
      return readWhole(this.#left).problems[0];
    } catch (fault) {
      return (fault as Error).message;
    }
  }

  #materialise(files: ReadonlyMap<string, Buffer>): void {
    rmSync(this.#left, { recursive: true, force: true });
    for (const part of [
      "state/journals",
      "archive",
      "links",
      "logs",
      "pages",
      "indexes",
      "reports",
    ])
      mkdirSync(join(this.#left, part), { recursive: true });
    materialise(files, this.#out, this.#left);
  }
}

function readState(dir: string) {
  try {
    return readCrawlState(dir);
  } catch {
    return undefined;
  }
}
