import { engineTarget } from "./engine.fuzz.ts";
import { refreshTarget } from "./refresh.fuzz.ts";
import { responseTarget } from "./response.fuzz.ts";
import { robotsTarget } from "./robots.fuzz.ts";
import { scannerTarget } from "./scanner.fuzz.ts";
import { sitemapTarget } from "./sitemap.fuzz.ts";
import { srcsetTarget } from "./srcset.fuzz.ts";
import type { FuzzTarget } from "./target.ts";
import { urlTarget } from "./url.fuzz.ts";
import { warcTarget } from "./warc.fuzz.ts";

/** Everything that reads what others wrote. */
export const TARGETS: readonly FuzzTarget[] = [
  engineTarget,
  responseTarget,
  robotsTarget,
  scannerTarget,
  srcsetTarget,
  refreshTarget,
  sitemapTarget,
  urlTarget,
  warcTarget,
];
