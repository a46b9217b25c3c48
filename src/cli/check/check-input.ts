import { readNamedInput } from "../../config/named-file.ts";
import { readSeed } from "../../config/seed-line.ts";
import { UsageError } from "../../errors.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Arguments } from "../arguments.ts";
import type { Io } from "../io.ts";
import { oneWord } from "./answer.ts";
import { textOf } from "./check-options.ts";

/** A document to look at, with the address it counts as. */
export interface CheckInput {
  url: CrawlUrl;
  body: Buffer;
  contentType: string | undefined;
}

/** The document a check is about: the URL as fetched now, or a file that stands for it. */
export async function readCheckInput(
  words: readonly string[],
  args: Arguments,
  io: Io,
  example: string,
): Promise<CheckInput> {
  const text = oneWord(words, "URL", example);
  const read = readSeed(text);
  if ("reason" in read) throw new UsageError(`${text}: ${read.reason}; for example ${example}`);
  const contentType = textOf(args, "content-type");
  const file = textOf(args, "file");
  if (file === undefined) {
    const { fetchDocument } = await import("./check-fetch.ts");
    const fetched = await fetchDocument(read.url, io);
    return { ...fetched, contentType: contentType ?? fetched.contentType };
  }
  const body = await readNamedInput(file, "--file", io.stdin);
  return { url: read.url, body, contentType };
}
