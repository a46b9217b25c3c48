import assert from "node:assert/strict";
import { test } from "node:test";
import { loadGrpc } from "../../src/urlfrontier/load-grpc.ts";
import { putCalls } from "../../src/urlfrontier/put-calls.ts";
import { queueCalls } from "../../src/urlfrontier/queue-calls.ts";
import type { ServerParts } from "../../src/urlfrontier/server-parts.ts";

/** The public numbers of the fields that carry something: with others, foreign clients would be misunderstood. */
const FIELDS = {
  URLInfo: "url=1 key=2 metadata=3 crawlID=4",
  KnownURLItem: "info=1 refetchable_from_date=2",
  DiscoveredURLItem: "info=1",
  URLItem: "discovered=1 known=2 ID=3 creation_date=4",
  AckMessage: "ID=1 status=2",
  DiscoveredBatch: "ID=1 items=2",
  BatchAck: "ID=1 statuses=2",
  GetParams: "max_urls_per_queue=1 max_queues=2 key=3 delay_requestable=4 anyCrawlID=5 crawlID=6",
  Pagination: "start=1 size=2 include_inactive=3 crawlID=4 local=5",
  QueueList: "values=1 total=2 start=3 size=4 crawlID=5",
  QueueWithinCrawlParams: "key=1 crawlID=2 local=3",
  Stats: "size=1 inProcess=2 counts=3 numberOfQueues=4 crawlID=5",
  BlockQueueParams: "key=1 time=2 crawlID=3 local=4",
  QueueDelayParams: "key=1 delay_requestable=2 crawlID=3 local=4",
  CrawlLimitParams: "key=1 limit=2 crawlID=3 local=4",
  DeleteCrawlMessage: "value=1 local=2",
  Active: "state=1 local=2",
  Boolean: "state=1",
  Local: "local=1",
  Long: "value=1",
  StringList: "values=1",
  LogLevelParams: "package=1 level=2 local=3",
  URLStatusRequest: "url=1 key=2 crawlID=3",
  ListUrlParams: "start=1 size=2 key=3 crawlID=4 local=5 filter=6 ignoreCase=7",
  CountUrlParams: "key=1 crawlID=2 filter=3 ignoreCase=4 local=5",
  PurgeUrlParams: "key=1 crawlID=2 days=3",
};

interface Described {
  readonly type: { readonly field: readonly { readonly name: string; readonly number: number }[] };
}

test("messages have the public field numbers", async () => {
  const { definition } = await loadGrpc();
  const found = Object.keys(FIELDS).map((name) => {
    const { type } = definition[`urlfrontier.${name}`] as unknown as Described;
    return [name, type.field.map((field) => `${field.name}=${field.number}`).join(" ")];
  });
  assert.deepEqual(Object.fromEntries(found), FIELDS);
});

test("all 19 calls are served, under their public paths", async () => {
  const { service } = await loadGrpc();
  const parts = {} as ServerParts;
  const served = { ...putCalls(parts), ...queueCalls(parts) };
  assert.deepEqual(Object.keys(served).sort(), Object.keys(service).sort());
  assert.equal(Object.keys(service).length, 19);
  assert.equal(service.GetURLs?.path, "/urlfrontier.URLFrontier/GetURLs");
});
