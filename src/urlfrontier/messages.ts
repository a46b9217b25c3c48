import type { Metadata } from "./url-queue.ts";

/*
 * The messages of urlfrontier.proto as the loader gives them: field names as they are in the file, 64-bit numbers as
 * text, enumerations as names, defaults filled in.
 */

/** URLInfo. */
export interface UrlInfoMessage {
  readonly url: string;
  readonly key: string;
  readonly metadata: Readonly<Record<string, { readonly values: readonly string[] }>>;
  readonly crawlID: string;
}

/** URLItem; one of the two is set. */
export interface UrlItemMessage {
  readonly discovered?: { readonly info: UrlInfoMessage | null } | null;
  readonly known?: {
    readonly info: UrlInfoMessage | null;
    readonly refetchable_from_date: string;
  } | null;
  readonly ID: string;
  readonly creation_date: string;
}

/** Status of AckMessage. */
export type AckStatus = "OK" | "SKIPPED" | "FAIL";

/** AckMessage. */
export interface AckMessage {
  readonly ID: string;
  readonly status: AckStatus;
}

/** DiscoveredBatch. */
export interface BatchMessage {
  readonly ID: string;
  readonly items: readonly UrlInfoMessage[];
}

/** BatchAck. */
export interface BatchAckMessage {
  readonly ID: string;
  readonly statuses: readonly AckStatus[];
}

/** GetParams. */
export interface GetParams {
  readonly max_urls_per_queue: number;
  readonly max_queues: number;
  readonly key: string;
  readonly delay_requestable: number;
  readonly anyCrawlID?: object | null;
  readonly crawlID?: string;
}

/** A queue of a crawl: QueueWithinCrawlParams, and with more fields those of settings. */
export interface QueueParams {
  readonly key: string;
  readonly crawlID: string;
}

/** ListUrlParams, CountUrlParams and Pagination. */
export interface ListParams extends QueueParams {
  readonly start: number;
  readonly size: number;
  readonly include_inactive: boolean;
  readonly filter?: string | null;
  readonly ignoreCase?: boolean | null;
}

/** Metadata as messages carry it. */
export function packMetadata(metadata: Metadata): UrlInfoMessage["metadata"] {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, values]) => [name, { values: [...values] }]),
  );
}

/** The same back. */
export function unpackMetadata(message: UrlInfoMessage["metadata"]): Metadata {
  return Object.fromEntries(Object.entries(message).map(([name, { values }]) => [name, values]));
}
