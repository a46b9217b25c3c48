import type { ServerDuplexStream, UntypedServiceImplementation } from "@grpc/grpc-js";
import type {
  AckMessage,
  AckStatus,
  BatchAckMessage,
  BatchMessage,
  UrlInfoMessage,
  UrlItemMessage,
} from "./messages.ts";
import { unpackMetadata } from "./messages.ts";
import type { ServerParts } from "./server-parts.ts";
import { crawlOf } from "./server-parts.ts";

/** A client that sends faster than the disk takes is read no further while so many messages wait. */
const MAX_UNCOMMITTED = 10_000;

/** PutURLs and PutDiscovered: every acknowledgement, also that something is known already, waits for the disk. */
export function putCalls(parts: ServerParts): UntypedServiceImplementation {
  const putUrl = (info: UrlInfoMessage | null | undefined, dueS: number | undefined): AckStatus => {
    if (info === null || info === undefined) return "SKIPPED";
    const { url, key, metadata } = info;
    const put = { url, key, crawl: crawlOf(info), metadata: unpackMetadata(metadata), dueS };
    const change = parts.frontier.decide(put, parts.nowMs());
    if (change === undefined) return "SKIPPED";
    parts.change(change);
    return "OK";
  };
  return {
    PutURLs(call: ServerDuplexStream<UrlItemMessage, AckMessage>) {
      serve(call, parts, (item) => {
        const { discovered, known } = item;
        const info = known?.info ?? discovered?.info;
        const dueS = known ? Number(known.refetchable_from_date) : undefined;
        const status = putUrl(info, dueS);
        const ID = item.ID || (info?.url ?? "");
        return (isKept) => ({ ID, status: isKept ? status : "FAIL" });
      });
    },
    PutDiscovered(call: ServerDuplexStream<BatchMessage, BatchAckMessage>) {
      serve(call, parts, (batch) => {
        const statuses = batch.items.map((info) => putUrl(info, undefined));
        const { ID } = batch;
        return (isKept) => ({
          ID,
          statuses: isKept ? statuses : statuses.map(() => "FAIL" as const),
        });
      });
    },
  };
}

/** Takes the messages of a stream one after the other, and answers each when what it changed is durable. */
function serve<In, Out>(
  call: ServerDuplexStream<In, Out>,
  { log, onFault }: ServerParts,
  take: (message: In) => (isKept: boolean) => Out,
): void {
  let waiting = 0;
  call.on("data", (message: In) => {
    const answer = take(message);
    if (++waiting >= MAX_UNCOMMITTED) call.pause();
    log.afterCommit((fault) => {
      if (--waiting < MAX_UNCOMMITTED) call.resume();
      call.write(answer(fault === undefined));
      if (fault !== undefined) onFault(fault);
    });
  });
  call.on("end", () => log.afterCommit(() => call.end()));
  // A client that goes away has nothing to be told; what it put counts.
  call.on("error", () => {});
}
