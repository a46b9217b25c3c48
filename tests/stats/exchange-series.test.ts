import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { CounterRow, counterBytes } from "../../src/stats/counters.ts";
import { ExchangeSeries } from "../../src/stats/exchange-series.ts";
import { readLines, tempFolder } from "../support/orbweaver.ts";

test("a thread has a line whenever it has exchanged, and its lines add up", (t) => {
  const path = join(tempFolder(t), "exchanges.jsonl");
  const memory = new SharedArrayBuffer(counterBytes(2));
  const rows = [new CounterRow(memory, 0), new CounterRow(memory, 1)];
  const series = new ExchangeSeries(path, memory, 2, 1000);
  rows[0]!.set("lateOwn", 500); // of an earlier run
  series.tick(1250);
  rows[0]!.add("lateOwn", 3);
  rows[0]!.add("lateForeign", 1);
  rows[0]!.add("exchanges", 2);
  rows[0]!.add("exchangeVisits", 40);
  rows[0]!.set("nextUrls", 9);
  rows[0]!.set("pivot", 77);
  series.tick(1500);
  rows[0]!.add("lateOwn", 4);
  series.tick(1750); // nothing was exchanged
  rows[1]!.add("foreignBlocks", 5);
  series.close(2000);
  const line = { exchanges: 0, visits: 0, blocks: 0, lateOwn: 0, lateForeign: 0, q: 0, pivot: 0 };
  assert.deepEqual(readLines(path), [
    {
      ...{ ...line, seconds: 0.5, thread: 0, exchanges: 2, visits: 40, lateOwn: 3 },
      ...{ lateForeign: 1, q: 9, pivot: 77 },
    },
    { ...line, seconds: 1, thread: 0, lateOwn: 4, q: 9, pivot: 77 },
    { ...line, seconds: 1, thread: 1, blocks: 5 },
  ]);
});
