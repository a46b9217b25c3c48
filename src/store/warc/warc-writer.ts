import { crawlPaths } from "../folder/crawl-folder.ts";
import { syncWriter, type Writer, type WriterOptions } from "../writer.ts";
import { Archive } from "./archive.ts";

/** About 5 MB per builder. */
const KNOWN_PAYLOADS = 16_384;

/** The WARC archive of a builder. */
export function openWarc({ folder, thread, config }: WriterOptions): Writer | undefined {
  if (!config.store.includes("warc")) return undefined;
  const archive = new Archive({
    folder: crawlPaths(folder).archive,
    prefix: "orbweaver",
    thread,
    level: config.warcLevel,
    rotateBytes: config.rotateBytes,
    rotatePages: config.rotatePages,
    knownPayloads: KNOWN_PAYLOADS,
    software: config.userAgent.split(" ", 1)[0]!,
    info: {
      robots: config.robots ? "obey" : "ignore",
      "tls-verification": config.insecure ? "off" : "",
      "http-header-user-agent": config.userAgent,
      operator: config.contact ?? "",
    },
  });
  return syncWriter(archive, (entry) => {
    if (entry.kind === "capture") entry.archived = archive.append(entry);
    return false;
  });
}
