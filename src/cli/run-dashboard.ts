import type { CrawlConfig } from "../config/schema.ts";
import { packageVersion } from "../config/version.ts";
import type { Crawl } from "../crawl/crawl.ts";
import { liveSource } from "../dashboard/dashboard-source.ts";
import { FolderSource } from "../dashboard/folder-source.ts";
import { LogView } from "../dashboard/log-view.ts";
import {
  type ListenRules,
  type RunningDashboard,
  serveDashboard,
} from "../dashboard/serve-dashboard.ts";

/** Serves the crawl of this process. */
export async function serveCrawl(
  crawl: Crawl,
  out: string,
  { dashboard, listen, dashboardToken }: CrawlConfig,
): Promise<RunningDashboard> {
  const rules = { port: dashboard ?? 0, address: listen, token: dashboardToken };
  const source = liveSource(crawl, out, undefined);
  const served = await serveDashboard(source, new LogView(out), rules, packageVersion());
  crawl.events.on("started", () => served.note());
  return served;
}

/** Serves a folder: a crawl that is over, that died, or that runs in another process. */
export async function serveFolder(dir: string, rules: ListenRules): Promise<RunningDashboard> {
  const log = new LogView(dir);
  const source = new FolderSource(dir, log);
  const served = await serveDashboard(source, log, rules, packageVersion());
  return {
    ...served,
    close: async () => {
      source.close();
      await served.close();
    },
  };
}
