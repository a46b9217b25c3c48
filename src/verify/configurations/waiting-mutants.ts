import type { Mutant } from "../configuration.ts";
import { patch } from "./frontier-subject.ts";

/** Whoever slept finds one record of several and keeps that to itself. */
export const wakeUpKept: Mutant = {
  name: "wake-up-not-passed-on",
  patches: [
    patch(
      "waiting-queue",
      "if (slept && !woke && this.hasRecord())\n                    this.#notEmpty.advance();",
      "",
    ),
  ],
};

/** A record that comes between its attempt and its look at the count goes unnoticed. */
export const attemptsFirst: Mutant = {
  name: "attempts-before-it-reads-the-count",
  patches: [
    patch("waiting-queue", "const seen = this.#notEmpty.read();", ""),
    patch(
      "waiting-queue",
      "patience = this.#notEmpty.watch(seen, patience);",
      "const seen = this.#notEmpty.read(); patience = this.#notEmpty.watch(seen, patience);",
    ),
  ],
};

/** The inserter it wakes may find that another one, whose record nobody was woken for, has filled the room. */
export const remindsLate: Mutant = {
  name: "reminds-after-its-attempt",
  patches: [
    patch("waiting-queue", "slept = true;\n            this.#notEmpty.remind();", "slept = true;"),
    patch(
      "waiting-queue",
      "const woke = this.#notFull.advance();",
      "if (slept) this.#notEmpty.remind(); const woke = this.#notFull.advance();",
    ),
  ],
};
