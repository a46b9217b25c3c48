import assert from "node:assert/strict";
import { test } from "node:test";
import { exploreSteps, type StepWorld } from "../../../src/verify/engine/explore-steps.ts";

/** Two clients that add 1 to a counter: by reading and writing, or in one step. */
class Counter implements StepWorld {
  readonly #atomic: boolean;
  #value = 0;
  readonly #clients: ("before" | number | "done")[] = ["before", "before"];

  constructor(atomic: boolean) {
    this.#atomic = atomic;
  }

  steps() {
    return this.#clients.flatMap((state, i) =>
      state === "done" ? [] : [{ name: `client ${i}`, run: () => this.#step(i) }],
    );
  }

  key() {
    return JSON.stringify([this.#value, this.#clients]);
  }

  violation(isEnd: boolean) {
    return isEnd && this.#value !== 2 ? `the counter is ${this.#value}` : undefined;
  }

  async #step(client: number) {
    const state = this.#clients[client]!;
    await Promise.resolve();
    if (state === "before" && !this.#atomic) this.#clients[client] = this.#value;
    else {
      this.#value = (typeof state === "number" ? state : this.#value) + 1;
      this.#clients[client] = "done";
    }
  }
}

test("every order is met once, and all of them are right", async () => {
  const { states, depth, violation, isCut } = await exploreSteps(() => new Counter(true));
  assert.deepEqual(
    { states, depth, violation, isCut },
    { states: 4, depth: 2, violation: undefined, isCut: false },
  );
});

test("a lost update is found by a shortest path", async () => {
  const { violation, path } = await exploreSteps(() => new Counter(false));
  assert.equal(violation, "the counter is 1");
  assert.equal(path.length, 4);
  assert.notEqual(path[0], path[1], "both have read before either writes");
});

test("a search that was cut off claims nothing", async () => {
  assert.equal((await exploreSteps(() => new Counter(true), 2)).isCut, true);
});
