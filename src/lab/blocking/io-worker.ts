import { parentPort, workerData } from "node:worker_threads";
import { crawlerParts } from "../../crawl/crawler/crawler-parts.ts";
import type { CrawlerRules } from "../../crawl/crawler/crawler-rules.ts";
import { codingOf } from "../../crawl/visit/read-page.ts";
import { decodeBody } from "../../fetch/coding/decode.ts";
import { Host, Site } from "../../frontier/host.ts";
import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { Doorbell } from "../../sync/doorbell.ts";
import { LoopDoorbell } from "../../sync/loop-doorbell.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import { BODY_BYTES } from "./blocking-plan.ts";
import { RequestSlot } from "./request-slot.ts";

/** Slots whose requests the I/O thread answers from now on. */
export interface IoOrder {
  readonly slots: SharedArrayBuffer;
  readonly bell: SharedArrayBuffer;
  readonly threads: number;
}

const EMPTY = new Uint8Array(0);
const rules = workerData as CrawlerRules;
const { fetcher, client } = crawlerParts(rules, 0, () => {});
const hosts = new Map<string, Host>();
let close = (): void => {};

parentPort!.on("message", (order: IoOrder | "end") => {
  close();
  close = () => {};
  if (order === "end") {
    void client.close().then(() => parentPort!.close());
    return;
  }
  close = serve(order);
  parentPort!.postMessage("ready");
});

/** Answers requests until the function that it returns is called. */
function serve({ slots: memory, bell: words, threads }: IoOrder): () => void {
  const slots = Array.from(
    { length: threads },
    (_, thread) => new RequestSlot(memory, thread, BODY_BYTES),
  );
  const work = { hasWork: () => slots.some((slot) => slot.isPosted()) };
  const look = (): void => {
    do {
      bell.awake();
      for (const slot of slots) {
        const url = slot.begin();
        if (url !== undefined) void answer(slot, url as CrawlUrl);
      }
    } while (bell.fallAsleep(work));
  };
  const bell = new LoopDoorbell(new Doorbell(new Int32Array(words), 0), look);
  look();
  return () => bell.close();
}

/** One request through robots.txt, addresses, gates and transport, like every request of a crawl. */
async function answer(slot: RequestSlot, url: CrawlUrl): Promise<void> {
  try {
    const lease = {
      url,
      parent: undefined,
      depth: 0,
      via: "link",
      seed: false,
      chain: [],
      host: hostOf(url),
      shard: 0,
      low: 0,
      high: 0,
      attempt: 0,
    } as const;
    for (;;) {
      const outcome = await fetcher.fetch({ ...lease });
      if (outcome.kind === "postponed") {
        await new Promise((resolve) => setTimeout(resolve, outcome.untilMs - monotonicMs()));
        continue;
      }
      if (outcome.kind !== "response") return slot.answer(0, EMPTY);
      const { head, body } = outcome.response;
      const { status } = head;
      if (status >= 300 && status <= 399)
        slot.answer(status, Buffer.from(head.get("location") ?? ""));
      else {
        const caps = { maxBytes: BODY_BYTES, maxRatio: 1000 };
        const decoded = await decodeBody(body, codingOf(head), caps);
        slot.answer(status, decoded.bytes);
      }
      return outcome.response.release();
    }
  } catch {
    slot.answer(0, EMPTY);
  }
}

function hostOf(url: CrawlUrl): Host {
  const name = hostnameOf(url);
  let host = hosts.get(name);
  if (host === undefined) {
    fingerprint(name, rules.seedLow, rules.seedHigh);
    host = new Host(name, lastFingerprint.low, rules.config.delayMs);
    host.site = new Site(name);
    hosts.set(name, host);
  }
  return host;
}
