import { statSync } from "node:fs";
import { optional, withDefault } from "../field.ts";
import { authRefusal, headerRefusal } from "../values/credential-value.ts";
import { list, text, toggle, toggleOr } from "../values/kinds.ts";
import { proxyRefusal } from "../values/proxy-value.ts";
import { notEmpty } from "./field-values.ts";

const group = "Addresses and connections";

const COOKIE_FILE = text("FILE", "a cookie file in the Netscape format", notEmpty);

/** Neither a URL to crawl nor the folder of a crawl: both may follow a switch. */
function isFileName(word: string): boolean {
  return !/^[a-z]+:/i.test(word) && !statSync(word, { throwIfNoEntry: false })?.isDirectory();
}

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
        "ask through this proxy, which then also finds the addresses; name and password are sent to it alone. Of several for one kind of page each host has its own, always the same",
      examples: [
        "--proxy http://proxy.example:3128",
        "--proxy https=http://user:secret@proxy.example:3128",
      ],
      repeatable: true,
    },
  ),
  cookies: withDefault(toggleOr(COOKIE_FILE), false, {
    flag: "cookies",
    group,
    about:
      "keep cookies while the crawl runs, at most 50 per host and 4 KiB each, and send them only to the scheme, host and port they came from; those of FILE (Netscape format) from the beginning, to the hosts they are for. They are not archived",
    examples: ["--cookies", "--cookies cookies.txt"],
    bare: "true",
    takes: isFileName,
  }),
  cookieFile: optional(COOKIE_FILE, {
    flag: "cookie-file",
    group,
    about: "the same as --cookies FILE",
    examples: ["--cookie-file cookies.txt"],
  }),
  headers: withDefault(
    list(
      text(
        "[ORIGIN ]NAME: VALUE",
        "[ORIGIN ]NAME: VALUE, where VALUE may be env:VARIABLE or file:PATH",
        headerRefusal,
      ),
    ),
    () => [],
    {
      flag: "header",
      group,
      about:
        "send this header to every server, or only to the one with this origin, whose robots.txt is asked without it. A value is kept with the crawl unless it is env:VARIABLE or file:PATH; one that is, or is for one origin, is not archived",
      examples: [
        "--header 'Accept-Language: de'",
        "--header 'https://api.example X-Key: env:API_KEY'",
      ],
      repeatable: true,
    },
  ),
  auth: withDefault(
    list(text("ORIGIN=env:NAME|file:PATH", "ORIGIN=env:NAME or ORIGIN=file:PATH", authRefusal)),
    () => [],
    {
      flag: "auth",
      group,
      about:
        "log in to the server with this origin, and no other: the variable or file holds USER:PASSWORD, or a scheme and its token such as Bearer abc",
      examples: ["--auth https://intranet.example=env:LOGIN"],
      repeatable: true,
    },
  ),
  beforeRequest: optional(text("FILE", "a JavaScript module", notEmpty), {
    flag: "before-request",
    group,
    about:
      "a module whose export beforeRequest, or default export, (headers, url) => headers is called before every request for a page; what it adds is not archived",
    examples: ["--before-request ./hooks.mjs"],
  }),
  archiveCredentials: withDefault(toggle(), false, {
    flag: "archive-credentials",
    group,
    about:
      "archive requests as they were sent; without this, Authorization, Cookie, and what --header sends to one origin or takes from the environment or a file, are left out of the archive",
    examples: ["--archive-credentials"],
  }),
  recrawl: optional(text("DIR", "the folder of an earlier crawl", notEmpty), {
    flag: "recrawl",
    group,
    about:
      "ask servers only for what has changed since the crawl in this folder; what has not becomes a revisit record",
    examples: ["--recrawl crawls/last-week"],
  }),
};
