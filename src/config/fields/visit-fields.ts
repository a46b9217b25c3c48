import { optional, withDefault } from "../field.ts";
import { list, text, toggle } from "../values/kinds.ts";
import { proxyRefusal } from "../values/proxy-value.ts";
import { notEmpty } from "./field-values.ts";

const group = "Addresses and connections";

/** Fields about what requests use: proxies, cookies, an earlier crawl. */
export const visits = {
  proxies: withDefault(
    list(
      text(
        "URL",
        "http://[USER:PASSWORD@]HOST:PORT, with http= or https= before it for one kind of page only",
        proxyRefusal,
      ),
    ),
    () => [],
    {
      flag: "proxy",
      group,
      about:
        "ask through this proxy, which then also finds the addresses; name and password are sent to it alone",
      examples: [
        "--proxy http://proxy.example:3128",
        "--proxy https=http://user:secret@proxy.example:3128",
      ],
      repeatable: true,
    },
  ),
  cookies: withDefault(toggle(), false, {
    flag: "cookies",
    group,
    about:
      "keep cookies while the crawl runs, at most 50 per host and 4 KiB each, and send them only to the scheme, host and port they came from",
    examples: ["--cookies"],
  }),
  recrawl: optional(text("DIR", "the folder of an earlier crawl", notEmpty), {
    flag: "recrawl",
    group,
    about:
      "ask servers only for what has changed since the crawl in this folder; what has not becomes a revisit record",
    examples: ["--recrawl crawls/last-week"],
  }),
};
