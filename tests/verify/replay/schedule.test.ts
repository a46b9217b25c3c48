import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { UsageError } from "../../../src/errors.ts";
import { formatSchedule, parseSchedule } from "../../../src/verify/replay/schedule.ts";

test("a printed schedule reads back as it was", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 16 }).chain((threads) =>
        fc.record({
          threads: fc.constant(threads),
          mutant: fc.option(fc.constant("lost-wake-up"), { nil: undefined }),
          choices: fc.array(fc.integer({ min: 0, max: 2 * threads - 1 }), { maxLength: 60 }),
        }),
      ),
      ({ threads, mutant, choices }) => {
        const schedule = { configuration: "mutex-3x2", mutant, choices };
        const text = formatSchedule(schedule, threads);
        assert.deepEqual(
          parseSchedule(text, () => threads),
          schedule,
        );
      },
    ),
  );
});

test("what is not a schedule is refused with a sentence", () => {
  for (const text of ["", "mutex-3x2", "mutex-3x2:a3!", "mutex-3x2:z"]) {
    assert.throws(() => parseSchedule(text, () => 3), UsageError);
  }
});
