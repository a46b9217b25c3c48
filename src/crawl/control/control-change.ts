import type { HostSetting } from "../../frontier/host-settings.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";

/** A change of course while a crawl runs. Each is a line of logs/control.jsonl: these names never change their meaning. */
export type ControlChange =
  | { readonly event: "pause" }
  | { readonly event: "goOn" }
  /** For the record: a resumed crawl runs. */
  | { readonly event: "stop" }
  | { readonly event: "addSeeds"; readonly urls: readonly CrawlUrl[] }
  | { readonly event: "blockHost"; readonly host: string }
  | ({ readonly event: "setHost"; readonly host: string } & HostSetting)
  | { readonly event: "setLinksPerThread"; readonly linksPerThread: number };

/** The changes that crawler threads obey; the others are the supervisor's. */
export type ThreadChange = Extract<
  ControlChange,
  { readonly event: "blockHost" | "setHost" | "setLinksPerThread" }
>;

/** Whether crawler threads have to know of a change. */
export function isForThreads(change: ControlChange): change is ThreadChange {
  const { event } = change;
  return event === "blockHost" || event === "setHost" || event === "setLinksPerThread";
}
