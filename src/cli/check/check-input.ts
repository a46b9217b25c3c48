import { readNamedInput } from "../../config/named-file.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Arguments } from "../arguments.ts";
import type { Io } from "../io.ts";
import { textOf } from "../options.ts";
import { oneWord, typedUrl } from "./answer.ts";

/** A document to check, with the URL it stands for. */
export interface CheckInput {
  url: CrawlUrl;
  body: Buffer;
  contentType: string | undefined;
}

/** The document a check is about: fetched now, or read from a file that stands for it. */
export async function readCheckInput(
  words: readonly string[],
  args: Arguments,
  io: Io,
  example: string,
): Promise<CheckInput> {
  const url = typedUrl(oneWord(words, "URL", example), `for example ${example}`);
  const contentType = textOf(args, "content-type");
  const file = textOf(args, "file");
  if (file === undefined) {
    const { fetchDocument } = await import("./check-fetch.ts");
    const fetched = await fetchDocument(url, io);
    return { ...fetched, contentType: contentType ?? fetched.contentType };
  }
  const body = await readNamedInput(file, "--file", io.stdin);
  return { url, body, contentType };
}
