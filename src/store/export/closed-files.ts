import { UsageError } from "../../errors.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";
import { OPEN } from "../warc/archive-file.ts";
import { archiveFiles } from "../warc/archive-scan.ts";

/** Names of the files of an archive; throws when one is still open. */
export function closedFiles(dir: string): string[] {
  const files = archiveFiles(crawlPaths(dir).archive).sort();
  const open = files.find((name) => name.endsWith(OPEN));
  if (open !== undefined) {
    throw new UsageError(
      `${open} is not closed: the crawl runs, or orbweaver recover ${dir} closes it`,
    );
  }
  return files;
}

/** The error for a crawl that has no page to export. */
export function noPages(dir: string): UsageError {
  return new UsageError(
    `${dir} holds nothing that can be exported so: nobody answered, or its --store keeps no archive`,
  );
}
