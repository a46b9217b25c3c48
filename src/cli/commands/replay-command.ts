import { EXIT, UsageError } from "../../errors.ts";
import { type Route, WAYS } from "../../verify/race/race-memory.ts";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { jsonOption } from "../options.ts";
import type { RaceQuestion } from "../verify/replay-race.ts";

/** `orbweaver replay`. */
export const command: Command = {
  name: "replay",
  usage: [
    "replay SCHEDULE [--times N] [--json]",
    "replay race [--by turnstile|sleep|rendezvous] [--times N] [--json]",
  ],
  about:
    "Runs one interleaving that verify has printed: step by step with a readable log, and then in real worker threads through a turnstile in shared memory, beside a run without the turnstile. With the word race: the data race of seed 001, in the code that writes the URL tree with its lock taken out, and then with the lock.",
  options: [
    {
      flag: "times",
      value: "N",
      group: "Options",
      about: "repetitions in real threads; 0 leaves them out",
      allowed: "a whole number from 0 to 100000",
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
    jsonOption("print one JSON object"),
  ],
  examples: [
    ["orbweaver replay race", "the data race of seed 001, every time; none with the lock"],
    ["orbweaver replay doorbell-2x1+lost-wake-up:c3a4b2c", "a wake-up that is lost, every time"],
  ],
  async run(args, io) {
    const [schedule, ...more] = args.words;
    if (schedule === undefined || more.length > 0) {
      throw new UsageError("replay takes one schedule, as orbweaver verify --json prints them");
    }
    const isRace = schedule === "race";
    const times = Number(args.options.get("times") ?? (isRace ? "5" : "100"));
    if (!Number.isInteger(times) || times < 0 || times > 100_000) {
      throw new UsageError("--times needs a whole number from 0 to 100000");
    }
    if (isRace) {
      const { runReplayRace } = await import("../verify/replay-race.ts");
      return runReplayRace({ ...raceOf(args), times }, io);
    }
    const { replaySchedule } = await import("../../verify/replay/replay-schedule.ts");
    const { violation, log } = replaySchedule(schedule);
    const json = args.options.get("json") === true;
    if (!json) {
      for (const line of log) io.stdout.write(`${line}\n`);
      io.stdout.write(`\nends with: ${violation ?? "no violation"}\n`);
    }
    const answer: Record<string, unknown> = { schedule, violation, steps: log.length };
    if (times > 0) {
      const { replayInThreads, runFreely } = await import("../../verify/replay/replay-threads.ts");
      const turned = await replayInThreads(schedule, times);
      const free = await runFreely(schedule, times);
      answer.inThreads = turned;
      answer.freeRunning = free;
      if (!json) {
        io.stdout.write(
          `in real threads through the turnstile: ${turned.reproduced} of ${times}; running freely: ${free.reproduced} of ${times}\n`,
        );
      }
    }
    if (json) io.stdout.write(`${JSON.stringify(answer)}\n`);
    return EXIT.finished;
  },
};

function raceOf({ options }: Arguments): Omit<RaceQuestion, "times"> {
  const way = options.get("by") ?? "turnstile";
  if (!WAYS.includes(way as Route)) {
    throw new UsageError(`--by cannot be "${way}"; use ${WAYS.join(", ")}`);
  }
  const disk = options.get("disk") ?? "plain";
  if (disk !== "plain" && disk !== "whole") {
    throw new UsageError(`--disk cannot be "${disk}"; use plain or whole`);
  }
  const sleepMs = Number(options.get("sleep-ms") ?? "5000");
  if (!Number.isInteger(sleepMs) || sleepMs < 1 || sleepMs > 60_000) {
    throw new UsageError("--sleep-ms needs a whole number from 1 to 60000");
  }
  const json = options.get("json") === true;
  return { way: way as Route, disk, sleepMs, json, different: options.get("different") === true };
}
