import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { retryAfterMs } from "../../src/fetch/retry-after.ts";

const DAY_MS = 24 * 3_600_000;
const now = Date.UTC(1994, 10, 6, 8, 49, 7);

test("seconds and the three date formats", () => {
  assert.equal(retryAfterMs("120", now), 120_000);
  assert.equal(retryAfterMs(" 7 ", now), 7_000);
  assert.equal(retryAfterMs("Sun, 06 Nov 1994 08:49:37 GMT", now), 30_000);
  assert.equal(retryAfterMs("Sunday, 06-Nov-94 08:49:37 GMT", now), 30_000);
  assert.equal(retryAfterMs("Sun Nov  6 08:49:37 1994", now), 30_000);
});

test("R18: what is too long is cut to a day, what is past or nonsense asks for nothing", () => {
  assert.equal(retryAfterMs("999999999", now), DAY_MS);
  assert.equal(retryAfterMs("9".repeat(400), now), DAY_MS);
  assert.equal(retryAfterMs("Sun, 06 Nov 2094 08:49:37 GMT", now), DAY_MS);
  const nothing = [
    "0",
    "-1",
    "-999999999",
    "",
    " ",
    "soon",
    "1.5",
    "1e3",
    "0x10",
    "120, 60",
    "Infinity",
    "NaN",
  ];
  const noDate = [
    "Sun, 06 Nov 1994 08:49:07 GMT",
    "Sun, 06 Nov 1993 08:49:37 GMT",
    "Thu, 31 Feb 2094 08:49:37 GMT",
    "Sun, 06 Nov 2094 25:49:37 GMT",
    "Sun, 06 Foo 2094 08:49:37 GMT",
    "2094-11-06T08:49:37Z",
    "Sun, 06 Nov 2094 08:49:37 CET",
  ];
  for (const value of [...nothing, ...noDate])
    assert.equal(retryAfterMs(value, now), undefined, value);
  assert.equal(retryAfterMs(undefined, now), undefined);
});

test("every date that Date writes is read back", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 86_400 }),
      fc.integer({ min: 0, max: 4e9 }),
      (ahead, second) => {
        const header = new Date((second + ahead) * 1000).toUTCString();
        assert.equal(retryAfterMs(header, second * 1000), ahead * 1000);
      },
    ),
  );
});
