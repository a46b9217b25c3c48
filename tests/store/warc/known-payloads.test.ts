import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KnownPayloads, type PayloadRecord } from "../../../src/store/warc/known-payloads.ts";

/** The definition: a map in the order of use. */
class Model {
  readonly #capacity: number;
  readonly #known = new Map<string, PayloadRecord & { readonly sha256: string }>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  find(sha1: string, sha256: string): PayloadRecord | undefined {
    const known = this.#known.get(sha1);
    if (known?.sha256 !== sha256) return undefined;
    this.#known.delete(sha1);
    this.#known.set(sha1, known);
    const { recordId, uri, date } = known;
    return { recordId, uri, date };
  }

  add(sha1: string, sha256: string, record: PayloadRecord): void {
    if (this.#capacity === 0 || this.#known.has(sha1)) return;
    if (this.#known.size >= this.#capacity) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(sha1, { ...record, sha256 });
  }
}

test("known payloads are those of a map in the order of use, whatever comes (property)", () => {
  // Some differ in their last characters alone, others in what comes before these.
  const sha1 = fc
    .tuple(fc.constantFrom("", "A", "AB"), fc.integer({ min: 0, max: 12 }))
    .map(([start, n]) => `sha1:${start}${"QRSTUV".slice(n % 3)}${n}`);
  const sha256 = fc.constantFrom("sha256:a", "sha256:b");
  const uri = fc.constantFrom("http://h/", `http://h/${"x".repeat(400)}`);
  const call = fc.tuple(fc.boolean(), sha1, sha256, uri);
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 9 }),
      fc.array(call, { maxLength: 80 }),
      (most, calls) => {
        const known = new KnownPayloads(most);
        const model = new Model(most);
        for (const [i, [isAdded, one, other, at]] of calls.entries()) {
          const record = { recordId: `id-${i}`, uri: at, date: "2026-01-01T00:00:00.000Z" };
          assert.deepEqual(known.find(one, other), model.find(one, other));
          if (!isAdded) continue;
          known.add(one, other, record);
          model.add(one, other, record);
        }
      },
    ),
    { numRuns: 300 },
  );
});
