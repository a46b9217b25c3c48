import assert from "node:assert/strict";
import { test } from "node:test";
import type { Specification } from "../../../src/verify/configuration.ts";
import { explains } from "../../../src/verify/judge/linearise.ts";
import { KIND } from "../../../src/verify/operations.ts";

const INSERT = 1;
const REMOVE = 2;

/** A queue of single digits; a remove from the empty queue answers 0. */
const queue: Specification = {
  initial: "",
  apply(state, { operation, argument, result }) {
    if (operation === INSERT) return state + String(argument);
    if (state === "") return result === 0 ? "" : undefined;
    return state.startsWith(String(result)) ? state.slice(1) : undefined;
  },
};

const begin = (thread: number, operation: number, argument = 0) => [
  thread,
  KIND.invoke,
  operation,
  argument,
];
const end = (thread: number, result = 0) => [thread, KIND.respond, result, 0];

test("overlapping operations may take effect in either order", () => {
  const history = [
    begin(0, INSERT, 1),
    begin(1, INSERT, 2),
    end(0),
    end(1),
    begin(0, REMOVE),
    end(0, 2),
  ];
  assert.ok(explains(queue, history));
});

test("an operation that ended first takes effect first", () => {
  const history = [
    begin(0, INSERT, 1),
    end(0),
    begin(1, INSERT, 2),
    end(1),
    begin(0, REMOVE),
    end(0, 2),
  ];
  assert.ok(!explains(queue, history));
});

test("nothing can be removed twice", () => {
  const history = [
    begin(0, INSERT, 1),
    end(0),
    begin(0, REMOVE),
    begin(1, REMOVE),
    end(0, 1),
    end(1, 1),
  ];
  assert.ok(!explains(queue, history));
});
