import { optional, withDefault } from "../field.ts";
import { choice, text, toggle } from "../values/kinds.ts";
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
      "a module whose default export sees every stored page before its links are followed and may answer { links, data }: links to follow instead, and a JSON value that pages.jsonl keeps with the page",
    examples: ["--handler ./prices.mjs"],
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
