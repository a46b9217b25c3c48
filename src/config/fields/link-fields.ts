import { optional, withDefault } from "../field.ts";
import { choice, duration, text, toggle } from "../values/kinds.ts";
import { notEmpty } from "./field-values.ts";

const group = "Links";
const KEYS = "the known URLs are kept under the keys that this makes of them";

/** Fields about where links come from and when two of them are one page. */
export const links = {
  sitemaps: withDefault(choice(["on", "off", "only"]), "on", {
    flag: "sitemaps",
    group,
    about:
      "on = also fetch what the sitemaps list that robots.txt names, off = never ask for a sitemap, only = follow sitemaps instead of the links of pages; where robots.txt names none /sitemap.xml is tried",
    examples: ["--sitemaps only", "--sitemaps off"],
  }),
  feeds: withDefault(toggle(), false, {
    flag: "feeds",
    group,
    about: "also fetch what the RSS and Atom feeds list that pages announce",
    examples: ["--feeds"],
  }),
  forms: withDefault(toggle(), false, {
    flag: "forms",
    group,
    about: "also follow the addresses of forms that send by GET, without any field",
    examples: ["--forms"],
  }),
  relNofollow: withDefault(choice(["follow", "skip"]), "follow", {
    flag: "rel-nofollow",
    group,
    about:
      "what becomes of single links marked rel=nofollow, which is a word to search engines about ranking; nofollow for a whole page (robots meta, X-Robots-Tag) is always obeyed",
    examples: ["--rel-nofollow skip"],
  }),
  handler: optional(text("FILE", "a JavaScript module", notEmpty), {
    flag: "handler",
    group,
    about:
      "a module whose default export is called with every page before its links are followed: ({ request, response, page, links, enqueue, push, skip, log }); docs/library.md explains it",
    examples: ["--handler ./prices.mjs"],
  }),
  handlerTimeoutMs: withDefault(duration(1), 60_000, {
    flag: "handler-timeout",
    group,
    about:
      "how long the handler may take for a page; then the page is tried again, and in the end fails as handler_timeout. A handler that never returns costs its thread, which is replaced, and its page fails as handler_hung",
    examples: ["--handler-timeout 10s"],
  }),
  archival: withDefault(toggle(), false, {
    flag: "archival",
    group,
    about:
      "also fetch the images, media, scripts and style sheets of pages that are in scope, and what scripts would load later (data-src, srcset)",
    examples: ["--archival"],
  }),
  dropSessionIds: withDefault(toggle(), false, {
    flag: "drop-session-ids",
    group,
    about: "URLs that differ only in a session id are one page",
    examples: ["--drop-session-ids"],
    fixed: KEYS,
  }),
  dropTracking: withDefault(toggle(), false, {
    flag: "drop-tracking",
    group,
    about: "URLs that differ only in parameters such as utm_source are one page",
    examples: ["--drop-tracking"],
    fixed: KEYS,
  }),
  trailingSlash: withDefault(choice(["keep", "ignore"]), "keep", {
    flag: "trailing-slash",
    group,
    about: "keep = /a and /a/ are two pages, ignore = they are one",
    examples: ["--trailing-slash ignore"],
    fixed: KEYS,
  }),
};
