import type { WebProfile } from "../profile.ts";
import type { PageNames } from "./page-names.ts";

/** The robots.txt of a host and, independently of any matcher, what it means for its pages. */
export interface RobotsRules {
  /** Undefined where there is no such file. */
  readonly text: string | undefined;
  readonly crawlDelayMs: number;
  /** Whether the page with this number may be fetched. */
  allows(local: number): boolean;
  /** Whether the redirects that lead to pages may be fetched. */
  readonly allowsRedirects: boolean;
}

const OPEN: RobotsRules = {
  text: undefined,
  crawlDelayMs: 0,
  allows: () => true,
  allowsRedirects: true,
};

const CLOSED: RobotsRules = {
  text: "User-agent: *\nDisallow: /\n",
  crawlDelayMs: 0,
  allows: () => false,
  allowsRedirects: false,
};

/** The rules of a host. Strict webs also close one host in ten, slow one down, and use wildcards. */
export function robotsRules(
  robots: WebProfile["robots"],
  names: PageNames,
  host: number,
): RobotsRules {
  if (robots === "none") return OPEN;
  if (robots === "simple") {
    return {
      text: "User-agent: *\nDisallow: /private/\n",
      crawlDelayMs: 0,
      allows: (local) => !names.isPrivate(local),
      allowsRedirects: true,
    };
  }
  if (host % 10 === 9) return CLOSED;
  const slow = host % 10 === 1;
  return {
    text:
      "# Queries are closed, except those for every tenth page.\n" +
      "User-agent: *\nDisallow: /private/\nDisallow: /view?\nAllow: /view?*id=*0$\n" +
      (slow ? "Crawl-delay: 0.2\n" : ""),
    crawlDelayMs: slow ? 200 : 0,
    allows: (local) => !names.isPrivate(local) && (!names.isQuery(local) || local % 10 === 0),
    allowsRedirects: true,
  };
}
