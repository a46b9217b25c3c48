import { EXIT } from "../../errors.ts";
import { type ParsedPage, parsePage } from "../../parse/page.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Arguments } from "../arguments.ts";
import type { Io } from "../io.ts";
import { printJson, printRows } from "./answer.ts";
import { type Question, runBatch } from "./check-batch.ts";
import { readCheckInput } from "./check-input.ts";
import { pageUrl } from "./check-page-url.ts";
import { refusalText } from "./refusal-text.ts";

const EXAMPLE = "orbweaver check links https://example.org/ --file page.html";
/** A text in JSON was decoded before it came here, so nothing inside it may say otherwise. */
const DECODED_TYPE = "text/html;charset=utf-8";

/** `orbweaver check links URL`: what the crawler takes from a page. */
export async function checkLinks(
  words: readonly string[],
  args: Arguments,
  io: Io,
): Promise<number> {
  if (args.options.get("batch") === true) return runBatch(io, answerLinks);
  const { url, body, contentType } = await readCheckInput(words, args, io, EXAMPLE);
  const page = parse(body, url, contentType);
  if (args.options.get("json") === true) {
    const { refused, robots, linksDropped } = page;
    printJson(io, { url, ...answerOf(page, url), linksDropped, refused, robots });
    return EXIT.finished;
  }
  const { noindex, nofollow } = page.robots;
  const directives = [noindex ? "noindex" : "", nofollow ? "nofollow" : ""].filter(Boolean);
  printRows(io, [
    ["URL", url],
    ["charset", page.charset],
    ["title", page.title === "" ? undefined : page.title],
    ["words", page.words],
    ["language", page.language],
    ["description", page.description],
    ["links resolve against", page.base ?? url],
    ["canonical", page.canonical],
    ["refresh", page.refresh],
    ["robots", directives.length === 0 ? undefined : directives.join(", ")],
    ["links", page.links.length],
    ["beyond the limit", page.linksDropped === 0 ? undefined : page.linksDropped],
    ...page.links.map((link) => ["link", link] as const),
    ...page.refused.map(
      ({ link, reason }) =>
        ["not followed", `${link} (${reason}: ${refusalText(reason)})`] as const,
    ),
  ]);
  return EXIT.finished;
}

/** `{html|html_b64, url, contentType?}` gives `{links, base, title, charset, words, refresh}`. */
function answerLinks(question: Question): object {
  const { bytes, wasText } = question.bytesOrText("html", "html_b64");
  const url = pageUrl(question);
  const contentType = wasText ? DECODED_TYPE : question.text("contentType");
  return answerOf(parse(bytes, url, contentType), url);
}

function parse(body: Uint8Array, url: CrawlUrl, contentType: string | undefined): ParsedPage {
  return parsePage(body, url, contentType === undefined ? {} : { contentType });
}

function answerOf(page: ParsedPage, url: CrawlUrl): object {
  const { links, base, title, charset, words, refresh } = page;
  return { links, base: base ?? url, title, charset, words, refresh: refresh ?? null };
}
