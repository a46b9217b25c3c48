import { BufferPlan } from "../../../src/crawl/buffer-plan.ts";
import { BuilderLoop, type BuilderParts } from "../../../src/crawl/builder/builder-loop.ts";
import type { FromBuilder } from "../../../src/crawl/builder/builder-message.ts";
import type { BufferSender } from "../../../src/crawl/hand-off/buffer-sender.ts";
import { captureRecord } from "../../../src/crawl/hand-off/capture-frame.ts";
import { captureOf } from "../../../src/crawl/hand-off/capture-of.ts";
import { openBuffer, openSender } from "../../../src/crawl/open-buffer.ts";
import { bellsOf, type CrawlMemory, createMemory } from "../../../src/crawl/shared-memory.ts";
import type { Capture } from "../../../src/store/capture.ts";
import { raise, type Writer } from "../../../src/store/writer.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { sampleHead } from "../../store/sample-capture.ts";

/** A builder's loop with its crawlers' ends of the buffers; one builder, hand-off by count or time unless told otherwise. */
export interface LoopedBuilder {
  readonly loop: BuilderLoop;
  readonly memory: CrawlMemory;
  readonly senders: readonly BufferSender[];
  readonly posted: FromBuilder[];
}

/** Makes a loop over this writer; `parts` replaces whatever a test cares about. */
export function loopOver(
  writer: Writer,
  threads: number,
  parts: Partial<BuilderParts> = {},
): LoopedBuilder {
  const { handOff = "count-or-time" } = parts;
  const config = { threads, builders: 1, bufferSize: 100, handOff };
  const memory = createMemory(config);
  const plan = new BufferPlan(config);
  const posted: FromBuilder[] = [];
  const loop = new BuilderLoop({
    buffers: plan.buffersOf(0).map((number) => ({
      buffer: openBuffer(memory, config, number),
      crawlers: plan.crawlersOf(number),
    })),
    memory,
    stored: new Int32Array(memory.stored),
    taken: new Int32Array(memory.taken),
    bells: bellsOf(memory).crawlers,
    writer,
    journals: undefined,
    patience: { refused: raise, accepted: () => {} },
    handOff,
    framesPerTurn: 100,
    syncEveryMs: 1000,
    nowMs: () => 0,
    post: (message) => posted.push(message),
    committed: () => {},
    ...parts,
  });
  const senders = Array.from({ length: threads }, (_, i) => openSender(memory, config, i));
  return { loop, memory, senders, posted };
}

/** What a record holds that nobody waits for. */
export const UNHELD = { release(): void {} };

/** The record of a page with these links. */
export function pageRecord(url: string, links: readonly string[] = []): Uint8Array[] {
  return captureRecord(...pageOf(url, links), true);
}

/** The same page past the buffer. */
export function pageCapture(url: string, links: readonly string[] = []): Capture {
  return captureOf(...pageOf(url, links), true);
}

function pageOf(url: string, links: readonly string[]) {
  const lease = { url: url as CrawlUrl, depth: 0, via: "seed", parent: undefined } as const;
  const head = sampleHead(200, "HTTP/1.1 200 OK\r\n\r\n");
  const body = Buffer.from(`the body of ${url}`);
  const response = { head, body, requestText: "GET / HTTP/1.1\r\n\r\n", address: "::1", date: 0 };
  const parsed = {
    title: url,
    words: 1,
    links: links as CrawlUrl[],
    linkCount: links.length,
    linksAll: links.length,
    charset: "utf-8",
  };
  const robots = { noindex: false, nofollow: false };
  const signals = { noai: true };
  const page = { mime: "text/html", truncated: undefined, parsed, robots, signals };
  return [{ url }, lease, response, page] as const;
}
