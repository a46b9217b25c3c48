import { once } from "node:events";
import type {
  ServerUnaryCall,
  ServerWritableStream,
  sendUnaryData,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import type { TakenUrl } from "./crawl-queues.ts";
import {
  type GetParams,
  type ListParams,
  packMetadata,
  type QueueParams,
  type UrlInfoMessage,
} from "./messages.ts";
import { crawlOf, type ServerParts } from "./server-parts.ts";
import { hostOf, type UrlFilter } from "./url-frontier.ts";
import type { QueueSettings, UrlRecord } from "./url-queue.ts";

const DEFAULT_HOLD_S = 30;
const DEFAULT_LIST = 100;
const MAX_ANSWER = 100_000;
const DAY_S = 24 * 60 * 60;
/** Of gRPC. */
const NOT_FOUND = 5;
const UNAVAILABLE = 14;

type Unary = (request: never) => object;

/** Every call but the two that put URLs. */
export function queueCalls(parts: ServerParts): UntypedServiceImplementation {
  const { frontier, nowMs } = parts;
  const set = ({ key, crawlID }: QueueParams, settings: QueueSettings, mustExist = false) => {
    const crawl = crawlOf({ crawlID });
    if (mustExist && frontier.queuesOf(crawl, key).length === 0)
      throw failure(NOT_FOUND, "there is no such queue");
    parts.change({ kind: "settings", crawl, key, settings });
    return {};
  };
  const unary: Record<string, Unary> = {
    ListNodes: () => ({ values: [parts.address()] }),
    ListCrawls: () => ({ values: [...frontier.crawls.keys()] }),
    DeleteCrawl: ({ value }: { value: string }) =>
      long(parts.change({ kind: "dropCrawl", crawl: crawlOf({ crawlID: value }) })),
    ListQueues: (params: ListParams) => listQueues(parts, params),
    GetStats: (params: QueueParams) => {
      const crawlID = crawlOf(params);
      const { active, out, done, queues, activeQueues } = frontier.figures(
        crawlID,
        params.key,
        nowMs(),
      );
      const counts = { completed: done, active_queues: activeQueues };
      return { size: active, inProcess: out, counts, numberOfQueues: queues, crawlID };
    },
    DeleteQueue: (params: QueueParams) =>
      long(parts.change({ kind: "dropQueue", crawl: crawlOf(params), key: params.key })),
    BlockQueueUntil: (params: QueueParams & { time: string }) =>
      set(params, { blockedUntilS: Number(params.time) }),
    SetDelay: (params: QueueParams & { delay_requestable: number }) => {
      const delayS = params.delay_requestable;
      if (params.key !== "") return set(params, { delayS });
      parts.change({ kind: "delay", crawl: crawlOf(params), delayS });
      return {};
    },
    SetCrawlLimit: (params: QueueParams & { limit: number }) =>
      set(params, { limit: params.limit }, true),
    SetActive: ({ state }: { state: boolean }) => {
      parts.change({ kind: "active", state });
      return {};
    },
    GetActive: () => ({ state: frontier.isActive }),
    SetLogLevel: ({ level }: { level: string }) => {
      parts.setLogLevel(level);
      return {};
    },
    GetURLStatus: (params: QueueParams & { url: string }) => {
      const key = params.key || (hostOf(params.url) ?? "");
      const record = frontier.queuesOf(crawlOf(params), key)[0]?.urls.get(params.url);
      if (record === undefined) throw failure(NOT_FOUND, "the URL is not known");
      return itemOf(record, crawlOf(params), key);
    },
    CountURLs: (params: ListParams) => {
      let count = 0;
      for (const _ of frontier.find(filterOf(params))) count++;
      return long(count);
    },
    PurgeURLs: (params: QueueParams & { days: number }) => {
      const crawl = crawlOf(params);
      const beforeS = nowMs() / 1000 - params.days * DAY_S;
      const old = [...frontier.find({ crawl, key: params.key, part: "", ignoreCase: false })];
      let purged = 0;
      for (const [key, { url, createdS }] of old)
        if (createdS < beforeS) purged += parts.change({ kind: "dropUrl", crawl, key, url });
      return long(purged);
    },
  };
  return {
    ...Object.fromEntries(
      Object.entries(unary).map(([name, answer]) => [name, durable(parts, answer)]),
    ),
    GetURLs(call: ServerWritableStream<GetParams, UrlInfoMessage>) {
      const { max_urls_per_queue, max_queues, key, delay_requestable, anyCrawlID } = call.request;
      const crawl = anyCrawlID ? undefined : crawlOf(call.request);
      const holdMs = (delay_requestable || DEFAULT_HOLD_S) * 1000;
      const options = { maxUrlsPerQueue: max_urls_per_queue, maxQueues: max_queues, key, holdMs };
      const taken = frontier.take(crawl, { ...options, maxUrls: MAX_ANSWER }, nowMs());
      void stream(call, taken.values(), infoOf);
    },
    ListURLs(call: ServerWritableStream<ListParams, object>) {
      const { start, size } = call.request;
      const crawl = crawlOf(call.request);
      const found = slice(frontier.find(filterOf(call.request)), start, size || DEFAULT_LIST);
      void stream(call, found, ([key, record]) => itemOf(record, crawl, key));
    },
  };
}

/** A unary call whose answer waits until what it changed is durable. */
function durable({ log, onFault }: ServerParts, answer: Unary) {
  return (call: ServerUnaryCall<never, object>, done: sendUnaryData<object>) => {
    let result: object;
    try {
      result = answer(call.request);
    } catch (fault) {
      done(fault as Error);
      return;
    }
    log.afterCommit((fault) => {
      if (fault === undefined) return done(null, result);
      done(failure(UNAVAILABLE, "the disk takes nothing; this server ends"));
      onFault(fault);
    });
  };
}

function listQueues({ frontier, nowMs }: ServerParts, params: ListParams): object {
  const { start, include_inactive } = params;
  const crawlID = crawlOf(params);
  const now = nowMs();
  const all = frontier
    .queuesOf(crawlID)
    .filter((queue) => include_inactive || (queue.active > 0 && !queue.isBlocked(now)));
  const values = all.slice(start, start + (params.size || DEFAULT_LIST)).map(({ key }) => key);
  return { values, total: all.length, start, size: values.length, crawlID };
}

function filterOf(params: ListParams): UrlFilter {
  const { key, filter, ignoreCase } = params;
  return { crawl: crawlOf(params), key, part: filter ?? "", ignoreCase: ignoreCase === true };
}

function infoOf({ record, crawl, key }: TakenUrl): UrlInfoMessage {
  return { url: record.url, key, metadata: packMetadata(record.metadata), crawlID: crawl };
}

function itemOf(record: UrlRecord, crawl: string, key: string): object {
  const info = infoOf({ record, crawl, key });
  const refetchable_from_date = Math.floor(record.dueMs / 1000);
  return {
    known: { info, refetchable_from_date },
    ID: record.url,
    creation_date: record.createdS,
  };
}

function long(value: number): { value: number } {
  return { value };
}

function failure(code: number, details: string): Error {
  return Object.assign(new Error(details), { code, details });
}

function* slice<T>(from: Iterable<T>, start: number, size: number): Generator<T> {
  let at = 0;
  for (const item of from) {
    if (at >= start + size) return;
    if (at++ >= start) yield item;
  }
}

/** Sends everything, no faster than the client reads. */
async function stream<T>(
  call: ServerWritableStream<unknown, object>,
  items: Iterable<T>,
  messageOf: (item: T) => object,
): Promise<void> {
  const gone = once(call, "close").catch(() => {});
  call.on("error", () => {});
  for (const item of items) {
    if (call.cancelled) return;
    if (!call.write(messageOf(item))) await Promise.race([once(call, "drain"), gone]);
  }
  call.end();
}
