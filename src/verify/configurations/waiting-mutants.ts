import { techniqueMutant } from "./technique-subject.ts";

/** Whoever slept finds one record of several and keeps that to itself. */
export const wakeUpKept = techniqueMutant("wake-up-not-passed-on", "waiting-queue", [
  "if (slept && !woke && this.hasRecord())\n                    this.#notEmpty.advance();",
  "",
]);

/** A record that comes between its attempt and its look at the count goes unnoticed. */
export const attemptsFirst = techniqueMutant(
  "attempts-before-it-reads-the-count",
  "waiting-queue",
  ["const seen = this.#notEmpty.read();", ""],
  [
    "patience = this.#notEmpty.watch(seen, patience);",
    "const seen = this.#notEmpty.read(); patience = this.#notEmpty.watch(seen, patience);",
  ],
);
