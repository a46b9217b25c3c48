import { EXIT, UsageError } from "../../errors.ts";
import type { Command } from "../command.ts";

/** `orbweaver replay`. */
export const command: Command = {
  name: "replay",
  usage: ["replay SCHEDULE [--times N] [--json]"],
  about:
    "Runs one interleaving that verify has printed: step by step with a readable log, and then in real worker threads through a turnstile in shared memory, beside a run without the turnstile.",
  options: [
    {
      flag: "times",
      value: "N",
      group: "Options",
      about: "repetitions in real threads; 0 leaves them out",
      allowed: "a whole number from 0 to 100000",
      examples: ["--times 1000"],
      defaultText: "100",
    },
    {
      flag: "json",
      group: "Options",
      about: "print one JSON object",
      allowed: "it without a value",
      examples: ["--json"],
    },
  ],
  examples: [
    ["orbweaver replay doorbell-2x1+lost-wake-up:c3a4b2c", "a wake-up that is lost, every time"],
  ],
  async run(args, io) {
    const [schedule, ...more] = args.words;
    if (schedule === undefined || more.length > 0) {
      throw new UsageError("replay takes one schedule, as orbweaver verify --json prints them");
    }
    const times = Number(args.options.get("times") ?? "100");
    if (!Number.isInteger(times) || times < 0 || times > 100_000) {
      throw new UsageError("--times needs a whole number from 0 to 100000");
    }
    const { replaySchedule } = await import("../../verify/replay.ts");
    const { violation, log } = replaySchedule(schedule);
    const json = args.options.get("json") === true;
    if (!json) {
      for (const line of log) io.stdout.write(`${line}\n`);
      io.stdout.write(`\nends with: ${violation ?? "no violation"}\n`);
    }
    const answer: Record<string, unknown> = { schedule, violation, steps: log.length };
    if (times > 0) {
      const { replayInThreads, runFreely } = await import("../../verify/replay-threads.ts");
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
