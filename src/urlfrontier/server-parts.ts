import type { Change } from "./change.ts";
import type { ChangeLog } from "./change-log.ts";
import { DEFAULT_CRAWL, type UrlFrontier } from "./url-frontier.ts";

/** What the calls of a server share. */
export interface ServerParts {
  readonly frontier: UrlFrontier;
  readonly log: ChangeLog;
  /** `host:port` of this server. */
  readonly address: () => string;
  /** Milliseconds since 1970 that never go back. */
  readonly nowMs: () => number;
  /** Carries out a change and writes it; returns how many URLs it removed. */
  change(change: Change): number;
  /** Called when nothing can be made durable any more. */
  onFault(fault: unknown): void;
  /** Sets which lines the server writes about itself. */
  setLogLevel(level: string): void;
}

/** The crawl that a message means. */
export function crawlOf(message: { readonly crawlID?: string | null }): string {
  return message.crawlID || DEFAULT_CRAWL;
}
