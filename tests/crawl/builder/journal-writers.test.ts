import assert from "node:assert/strict";
import { test } from "node:test";
import { JournalWriters, journalFiles } from "../../../src/crawl/builder/journal-writers.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { decodeEvents } from "../../../src/frontier/journal/event-cursor.ts";
import type { JournalFiles } from "../../../src/frontier/journal/journal-files.ts";
import { BATCH_HEADER_BYTES } from "../../../src/frontier/journal/journal-format.ts";
import { readJournal } from "../../../src/frontier/journal/journal-reader.ts";
import {
  fingerprintOf,
  link,
  pack,
  UNSYNCED_FILES,
  withFolder,
} from "../../frontier/journal/plans.ts";

function eventsOf(batch: EventBatch): Buffer {
  const bytes = batch.finish();
  return Buffer.from(bytes.subarray(BATCH_HEADER_BYTES, BATCH_HEADER_BYTES + batch.eventBytes));
}

/** A page that is done, with its record as a crawler names it: by number. */
function doneWith(record: number | undefined): Buffer {
  const batch = new EventBatch();
  const { low, high } = fingerprintOf("http://a.test/1");
  batch.done(
    low,
    high,
    1,
    record === undefined ? undefined : { file: "", offset: 0, length: record + 1 },
  );
  return eventsOf(batch);
}

test("a done event gets the place of its record, everything else is written as it came", () => {
  withFolder((folder) => {
    const journals = new JournalWriters(
      journalFiles({ folder, seedLow: 1, seedHigh: 2, files: UNSYNCED_FILES }),
    );
    journals.open(0, { shard: 4, epoch: 1, after: undefined });
    const place = { file: "b.warc.gz", offset: 123_456_789_012, length: 77 };
    const admitted = {
      kind: "admit" as const,
      found: [link("http://a.test/1"), link("http://a.test/2")],
    };
    journals.take(4, eventsOf(pack([admitted])), () => assert.fail("nothing is named here"));
    const asked: number[] = [];
    journals.take(4, doneWith(7), (record) => {
      asked.push(record);
      return place;
    });
    journals.take(4, doneWith(undefined), () => assert.fail("nothing is named here"));
    journals.append();
    journals.sync();
    journals.close();
    assert.deepEqual(asked, [7]);
    const events = [...readJournal({ folder, shard: 4 })].flatMap(decodeEvents);
    const done = { kind: "done", ...fingerprintOf("http://a.test/1"), outcome: 1 };
    assert.deepEqual(events, [admitted, { ...done, where: place }, { ...done, where: undefined }]);
  });
});

test("nothing is on disk before append, and one batch holds what belongs together", () => {
  withFolder((folder) => {
    let writes = 0;
    const files: JournalFiles = {
      ...UNSYNCED_FILES,
      write(file, bytes, from) {
        writes++;
        return UNSYNCED_FILES.write(file, bytes, from);
      },
    };
    const journals = new JournalWriters(journalFiles({ folder, seedLow: 1, seedHigh: 2, files }));
    journals.open(0, { shard: 4, epoch: 1, after: undefined });
    const header = writes;
    journals.take(4, eventsOf(pack([{ kind: "admit", found: [link("http://a.test/1")] }])), () =>
      assert.fail(),
    );
    journals.take(4, doneWith(undefined), () => assert.fail());
    assert.equal(writes, header, "events wait until the archive is synced");
    journals.append();
    assert.equal(writes, header + 1);
    journals.append();
    assert.equal(writes, header + 1, "what was written does not come twice");
    journals.close(1);
    journals.close(0);
    assert.deepEqual(journals.closedSegments(), [], "a thread that dies leaves no journal open");
  });
});
