import type { Response } from "../../fetch/transport.ts";
import type { Lease } from "../../frontier/frontier.ts";
import { jsonLine } from "../../store/files/jsonl.ts";
import type { Skipped } from "../visit/follower.ts";
import type { ReadPage } from "../visit/read-page.ts";
import type { VisitRecords } from "../visit/stages.ts";
import type { OutcomeLine } from "../visit/visit-outcome.ts";
import type { BufferSender } from "./buffer-sender.ts";
import { captureRecord } from "./capture-frame.ts";
import { captureOf } from "./capture-of.ts";
import { FRAMES } from "./frames.ts";

/** Sends what visits leave behind through a hand-off buffer. */
export class SendRecords implements VisitRecords {
  readonly #sender: BufferSender;
  readonly #keepsBodies: boolean;

  constructor(sender: BufferSender, keepsBodies: boolean) {
    this.#sender = sender;
    this.#keepsBodies = keepsBodies;
  }

  capture(line: OutcomeLine, lease: Lease, response: Response, page: ReadPage): number {
    if (this.#sender.isNear) {
      const capture = captureOf(line, lease, response, page, this.#keepsBodies);
      const record = this.#sender.storeNow(capture, line.outcome === "page");
      response.release();
      return record;
    }
    const record = captureRecord(line, lease, response, page, this.#keepsBodies);
    return this.#sender.sendRecord(record, response);
  }

  outcome(line: OutcomeLine): void {
    this.#sender.send(FRAMES.outcome, [Buffer.from(jsonLine(line))]);
  }

  skipped(links: readonly Skipped[]): void {
    const lines = links.map((link) => JSON.stringify(link)).join("\n");
    this.#sender.send(FRAMES.skipped, [Buffer.from(lines)]);
  }
}
