import type { CrawlConfig } from "../../config/schema.ts";
import type { BuilderOptions } from "../../store/builder.ts";

/** About 5 MB per builder. */
const KNOWN_PAYLOADS = 16_384;

/** How a builder writes, from the crawl's configuration. */
export function builderOptions(
  config: CrawlConfig,
  out: string,
  builder: number,
  treeLocks: SharedArrayBuffer,
): BuilderOptions {
  return {
    stores: { warc: config.store.includes("warc"), tree: config.store.includes("tree") },
    treeLocks,
    folder: out,
    prefix: "orbweaver",
    thread: builder,
    level: config.warcLevel,
    rotateBytes: config.rotateBytes,
    ...(config.rotatePages === undefined ? {} : { rotatePages: config.rotatePages }),
    knownPayloads: KNOWN_PAYLOADS,
    software: config.userAgent.split(" ", 1)[0]!,
    info: {
      format: "WARC File Format 1.1",
      conformsTo: "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
      robots: config.robots ? "obey" : "ignore",
      ...(config.insecure ? { "tls-verification": "off" } : {}),
      "http-header-user-agent": config.userAgent,
      ...(config.contact === undefined ? {} : { operator: config.contact }),
    },
  };
}
