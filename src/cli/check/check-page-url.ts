import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import { BadLine, type Question } from "./check-batch.ts";

/** The `url` of a line, which must be one that can be fetched. */
export function pageUrl(question: Question): CrawlUrl {
  const url = canonicalize(question.needed("url"));
  if (url === undefined) throw new BadLine('"url" is not an http or https URL');
  return url;
}
