import { type CredentialValue, parseHeader } from "../../config/values/credential-value.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";
import { type Entry, type FileWriter, fileWriter, type WriterOptions } from "../writer.ts";
import { Archive } from "./archive.ts";
import { allBut, type Secrets, secretsOf } from "./http-block.ts";

/** About 5 MB per builder. */
const KNOWN_PAYLOADS = 16_384;

/** The WARC archive of a builder. */
export function openWarc({
  folder,
  thread,
  config,
  doWork,
}: WriterOptions): FileWriter<Entry, Archive> | undefined {
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
    secrets: secretsIn(config),
    software: config.userAgent.split(" ", 1)[0]!,
    info: {
      robots: config.robots ? "obey" : "ignore",
      "tls-verification": config.insecure ? "off" : "",
      "http-header-user-agent": config.userAgent,
      operator: config.contact ?? "",
    },
  });
  return fileWriter(archive, doWork, (entry) => {
    if (entry.kind === "capture") entry.archived = archive.append(entry);
    else if (entry.kind === "robots") archive.appendRobots(entry);
    return archive.isDue;
  });
}

/**
 * What is left out of archived requests: headers that `--header` adds for single servers, or from the environment or a
 * file; with a hook that adds any, all but those that are known to be no secret.
 */
function secretsIn({
  headers = [],
  beforeRequest,
}: Partial<Pick<WriterOptions["config"], "headers" | "beforeRequest">>): Secrets {
  const all = headers.map((text) => parseHeader(text)).filter((each) => typeof each !== "string");
  const isSecret = ({ origin, value }: CredentialValue) =>
    origin !== undefined || value.kind !== "typed";
  const names = (some: readonly CredentialValue[]) => some.map(({ name }) => name);
  return beforeRequest === undefined
    ? secretsOf(names(all.filter(isSecret)))
    : allBut(names(all.filter((header) => !isSecret(header))));
}
