import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { printable } from "../../config/printable.ts";
import { EXIT, UsageError } from "../../errors.ts";
import { RACE_METHODS, type RaceMethod } from "../../verify/race/race-memory.ts";
import type { Subject } from "../../verify/replay/replay-schedule.ts";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { printJson } from "../io.ts";
import { isOn, jsonOption, onlyWord, textOf } from "../options.ts";
import type { RaceQuestion } from "../verify/replay-race.ts";

/** `orbweaver replay`. */
export const command: Command = {
  name: "replay",
  usage: [
    "replay SCHEDULE [--times N] [--svg FILE] [--subject ./mine.mjs] [--json]",
    "replay collapse [--size B] [--threads T] [--times N] [--svg FILE] [--json]",
    "replay race [--by turnstile|sleep|rendezvous] [--times N] [--keep DIR] [--json]",
  ],
  about:
    "Runs one interleaving that verify has printed: step by step with a readable log, and then in real worker threads through a turnstile in shared memory, beside a run without the turnstile. With the word collapse: the explorer finds a schedule in which all threads of a monitor with one condition fall asleep, and it is replayed. With the word race: the data race of seed 001, in the code that writes the URL tree with its lock taken out, and then with the lock.",
  options: [
    {
      flag: "times",
      value: "N",
      group: "Options",
      about: "repetitions in real threads; 0 leaves them out, except for race",
      allowed: "a whole number from 0 to 100000, for race from 1",
      examples: ["--times 1000"],
      defaultText: "100, for race 5",
    },
    {
      flag: "by",
      value: "WAY",
      group: "Options",
      about:
        "what brings both builders to the write: turnstile = a schedule, sleep = a pause before it, rendezvous = the first waits for the second",
      allowed: "turnstile, sleep or rendezvous",
      examples: ["--by sleep"],
      defaultText: "turnstile",
    },
    {
      flag: "sleep-ms",
      value: "MS",
      group: "Options",
      about: "how long --by sleep pauses",
      allowed: "a whole number from 1 to 60000",
      examples: ["--sleep-ms 500"],
      defaultText: "5000, as in the seed",
    },
    {
      flag: "disk",
      value: "KIND",
      group: "Options",
      about: "plain = files as the seed writes them, whole = files that appear by a rename",
      allowed: "plain or whole",
      examples: ["--disk whole"],
      defaultText: "plain",
    },
    {
      flag: "different",
      group: "Options",
      about: "give the two buffers different URLs: no race, and a rendezvous stands still",
      allowed: "it without a value",
      examples: ["--different"],
    },
    {
      flag: "keep",
      value: "DIR",
      group: "Options",
      about: "a new folder for the trees and lists of all runs of a race",
      allowed: "the name of a folder that does not exist",
      examples: ["--keep race"],
    },
    {
      flag: "size",
      value: "B",
      group: "Options",
      about: "of collapse: slots of the frontier",
      allowed: "1, 2 or 3",
      examples: ["--size 2"],
      defaultText: "2",
    },
    {
      flag: "threads",
      value: "T",
      group: "Options",
      about: "of collapse: threads that insert or take for ever",
      allowed: "a whole number from 2 to 2B + 3",
      examples: ["--threads 5"],
      defaultText: "2B + 1",
    },
    {
      flag: "svg",
      value: "FILE",
      group: "Options",
      about: "draw who holds the lock and who waits, step by step",
      allowed: "the name of a new file",
      examples: ["--svg collapse.svg"],
    },
    {
      flag: "subject",
      value: "FILE",
      group: "Options",
      about: "your own lock, in which verify --subject found the schedule",
      allowed: "the name of a module",
      examples: ["--subject ./mine.mjs"],
    },
    jsonOption("print one JSON object"),
  ],
  examples: [
    ["orbweaver replay race", "the data race of seed 001, every time; none with the lock"],
    ["orbweaver replay doorbell-2x1+lost-wake-up:c3a4b2c", "a wake-up that is lost, every time"],
  ],
  async run(args, io) {
    const word = onlyWord(
      args,
      "replay takes one schedule, as orbweaver verify --json prints them",
    );
    if (word === "race") {
      refuseOptions(args, ["size", "threads", "svg", "subject"], "a schedule or the word collapse");
      // Nothing but its repetitions shows the race.
      const times = wholeNumber(args, "times", "5", 1, 100_000);
      const { runReplayRace } = await import("../verify/replay-race.ts");
      return runReplayRace({ ...raceOf(args), times }, io);
    }
    refuseOptions(args, RACE_OPTIONS, "the word race instead of a schedule");
    const schedule = word === "collapse" ? await collapseOf(args) : word;
    if (word !== "collapse") refuseOptions(args, ["size", "threads"], "the word collapse");
    const subject = await subjectOf(textOf(args, "subject"));
    // A lock of one's own is replayed here only: its threads could not be ended when they hang.
    const times = subject === undefined ? wholeNumber(args, "times", "100", 0, 100_000) : 0;
    if (subject !== undefined && args.options.has("times"))
      throw new UsageError("--times has no effect together with --subject: leave it out");
    const { replaySchedule } = await import("../../verify/replay/replay-schedule.ts");
    const replay = replaySchedule(schedule, subject);
    const { violation, log } = replay;
    const svg = newFile(textOf(args, "svg"));
    if (svg !== undefined) {
      const { scheduleTimeline } = await import("../../verify/replay/schedule-timeline.ts");
      writeFileSync(svg, scheduleTimeline(schedule, replay), { flag: "wx" });
    }
    const json = isOn(args, "json");
    const say = (text: string): void => {
      if (!json) io.stdout.write(`${text}\n`);
    };
    if (word === "collapse") say(`${schedule}\n`);
    say(`${log.join("\n")}\n\nends with: ${violation ?? "no violation"}`);
    const answer = { schedule, violation, steps: log.length, log };
    if (times === 0) {
      if (json) printJson(io, answer);
      return EXIT.finished;
    }
    const { replayInThreads, runFreely } = await import("../../verify/replay/replay-threads.ts");
    const inThreads = await replayInThreads(schedule, times);
    const freeRunning = await runFreely(schedule, times);
    say(
      `in real threads through the turnstile: ${inThreads.reproduced} of ${times}; running freely: ${freeRunning.reproduced} of ${times}`,
    );
    if (json) printJson(io, { ...answer, inThreads, freeRunning });
    return EXIT.finished;
  },
};

const RACE_OPTIONS = ["by", "sleep-ms", "disk", "different", "keep"];
/** CPU seconds for one search of a collapse; the largest takes half a second. */
const COLLAPSE_BUDGET_S = 60;

/** Options that would do nothing. */
function refuseOptions(args: Arguments, flags: readonly string[], needs: string): void {
  const flag = flags.find((each) => args.options.has(each));
  if (flag !== undefined) throw new UsageError(`--${flag} has no effect: it needs ${needs}`);
}

async function collapseOf(args: Arguments): Promise<string> {
  const { collapseSchedule } = await import("../../verify/collapse-grid.ts");
  const size = wholeNumber(args, "size", "2", 1, 3);
  const threads = wholeNumber(args, "threads", String(2 * size + 1), 2, 2 * size + 3);
  return collapseSchedule(size, threads, COLLAPSE_BUDGET_S);
}

async function subjectOf(file: string | undefined): Promise<Subject | undefined> {
  if (file === undefined) return undefined;
  if (!existsSync(file)) throw new UsageError(`--subject: there is no file ${printable(file)}`);
  const { checkOwnLock } = await import("../../verify/own/watch-own-lock.ts");
  await checkOwnLock(resolve(file));
  const { patchOf } = await import("../../verify/own/judge-own-lock.ts");
  const { loadOwnSync } = await import("../../verify/own-lock.ts");
  const { names } = await loadOwnSync(resolve(file));
  return { patches: [patchOf(file)], ...(names === undefined ? {} : { names }) };
}

function newFile(file: string | undefined): string | undefined {
  if (file !== undefined && existsSync(file))
    throw new UsageError(`--svg ${printable(file)}: that file exists; name a new one`);
  return file;
}

function raceOf(args: Arguments): Omit<RaceQuestion, "times"> {
  const by = textOf(args, "by") ?? "turnstile";
  if (!RACE_METHODS.includes(by as RaceMethod)) {
    throw new UsageError(`--by cannot be "${by}"; use ${RACE_METHODS.join(", ")}`);
  }
  if (args.options.has("sleep-ms") && by !== "sleep")
    throw new UsageError("--sleep-ms has no effect: it needs --by sleep");
  const disk = textOf(args, "disk") ?? "plain";
  if (disk !== "plain" && disk !== "whole") {
    throw new UsageError(`--disk cannot be "${disk}"; use plain or whole`);
  }
  return {
    by: by as RaceMethod,
    disk,
    sleepMs: wholeNumber(args, "sleep-ms", "5000", 1, 60_000),
    json: isOn(args, "json"),
    different: isOn(args, "different"),
    keep: newFolder(textOf(args, "keep")),
  };
}

function newFolder(keep: string | undefined): string | undefined {
  if (keep !== undefined && existsSync(keep))
    throw new UsageError(`--keep ${printable(keep)}: that folder exists; name a new one`);
  return keep;
}

function wholeNumber(
  args: Arguments,
  flag: string,
  standard: string,
  min: number,
  max: number,
): number {
  const value = Number(textOf(args, flag) ?? standard);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new UsageError(`--${flag} needs a whole number from ${min} to ${max}`);
}
