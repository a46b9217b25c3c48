import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { sha1, sha256 } from "../../../src/store/warc/digest.ts";
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

test("payloads are found by the text of a digest and by its bytes, however they were added (property)", () => {
  const bytes = fc.uint8Array({ maxLength: 3 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), bytes), { maxLength: 40 }), (calls) => {
      const known = new KnownPayloads(64);
      const none = new KnownPayloads(0);
      const added = new Map<string, PayloadRecord>();
      for (const [i, [isText, payload]] of calls.entries()) {
        const digests = [sha1(payload), sha256(payload)] as const;
        const record = { recordId: `id-${i}`, uri: "http://h/", date: "2026-01-01T00:00:00.000Z" };
        const { recordId, date, uri } = record;
        assert.deepEqual(known.find(...digests), added.get(digests[0]));
        const key = known.newKey(hash("sha1", payload, "binary"));
        assert.equal(key < 0, added.has(digests[0]));
        if (key < 0) continue;
        const texts = Buffer.from([...digests, recordId, date, uri].join("\n"));
        if (isText) known.add(...digests, record);
        else known.addBytes(key, texts);
        added.set(digests[0], record);
        none.addBytes(key, texts);
        assert.equal(none.find(...digests), undefined);
      }
    }),
  );
});
