import { parseHeader } from "../../config/values/credential-value.ts";
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
    keepsSecrets: config.archiveCredentials,
    secretNames: secretNames(config),
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

/** Headers that `--header` adds for single servers, or from the environment or a file. */
function secretNames({
  headers = [],
}: Partial<Pick<WriterOptions["config"], "headers">>): string[] {
  const all = headers.map((text) => parseHeader(text));
  const secret = all.filter((header) => typeof header !== "string");
  return secret
    .filter(({ origin, value }) => origin !== undefined || value.kind !== "typed")
    .map(({ name }) => name);
}
