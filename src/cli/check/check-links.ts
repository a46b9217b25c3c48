import { meaningOf } from "../../crawl/visit/error-codes.ts";
import { type ParsedPage, parsePage } from "../../parse/page.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Check } from "./answer.ts";
import { readCheckInput } from "./check-input.ts";

const EXAMPLE = "orbweaver check links https://example.org/ --file page.html";
/** The type of a text in JSON, which is decoded already: nothing inside it may override that. */
const DECODED_TYPE = "text/html;charset=utf-8";

/** `orbweaver check links URL`: what the crawler takes from a page. */
export const check: Check = {
  async *answers(words, args, io) {
    const { url, body, contentType } = await readCheckInput(words, args, io, EXAMPLE);
    const page = parse(body, url, contentType);
    const { refused, robots, linksDropped } = page;
    const directives = (["noindex", "nofollow"] as const).filter((name) => robots[name]);
    yield {
      json: { url, ...answerOf(page, url), linksDropped, refused, robots },
      rows: [
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
        ["beyond the limit", linksDropped === 0 ? undefined : linksDropped],
        ...page.links.map((link) => ["link", link] as const),
        ...refused.map(
          ({ link, reason }) =>
            ["not followed", `${link} (${reason}: ${meaningOf(reason)})`] as const,
        ),
      ],
    };
  },
  /** `{html|html_b64, url, contentType?}` gives `{links, base, title, charset, words, refresh}`. */
  batch: () => (question) => {
    const { bytes, wasText } = question.bytesOrText("html", "html_b64");
    const url = question.pageUrl();
    const contentType = wasText ? DECODED_TYPE : question.text("contentType");
    return answerOf(parse(bytes, url, contentType), url);
  },
};

function parse(body: Uint8Array, url: CrawlUrl, contentType: string | undefined): ParsedPage {
  return parsePage(body, url, contentType === undefined ? {} : { contentType });
}

function answerOf(page: ParsedPage, url: CrawlUrl): object {
  const { links, base, title, charset, words, refresh } = page;
  return { links, base: base ?? url, title, charset, words, refresh: refresh ?? null };
}
