import { mix } from "../seeded-random.ts";

/** How pages are named: path and query of a page seen from its host, and back. */
export interface PageNames {
  /** Whether pages are numbered over the whole web instead of from 0 on each host. */
  readonly acrossHosts: boolean;
  /** Path and query of the page with this number. */
  path(local: number): string;
  /** Number of the page with exactly this path and query, or -1: no page has two names. */
  local(target: string): number;
  /** Name of the redirect that leads to a page; no page has such a name. */
  alias(local: number): string;
  /** Number of the page this redirect leads to, or -1. */
  aliased(target: string): number;
  /** Whether the page lies in the section that robots.txt closes. */
  isPrivate(local: number): boolean;
  /** Whether the page's name holds a query. */
  isQuery(local: number): boolean;
}

const FORMS = 16;
const PRIVATE_FORM = 0;

/** The whole number written in text[from, to), or -1 for anything a page name would not hold. */
export function wholeNumber(text: string, from: number, to: number): number {
  if (to <= from || to - from > 8) return -1;
  if (text.charCodeAt(from) === 0x30 && to - from > 1) return -1; // 007 would be a second name for 7
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function between(text: string, before: string, after: string): number {
  if (!text.startsWith(before) || !text.endsWith(after)) return -1;
  return wholeNumber(text, before.length, text.length - after.length);
}

/** Names in the forms that real sites mix: files, folders, dated articles, queries, a closed section. */
export class VariedNames implements PageNames {
  readonly acrossHosts = false;
  readonly #seed: number;
  readonly #closedSection: boolean;

  constructor(seed: number, closedSection: boolean) {
    this.#seed = seed;
    this.#closedSection = closedSection;
  }

  path(local: number): string {
    if (local === 0) return "/";
    const form = this.#form(local);
    if (form === PRIVATE_FORM) return `/private/${local}.html`;
    if (form <= 8) return `/p/${local}.html`;
    if (form <= 11) return `/section/${local % 7}/${local}/`;
    if (form <= 13) return `/articles/20${10 + (local % 15)}/story-${local}`;
    return `/view?lang=en&id=${local}`;
  }

  local(target: string): number {
    if (target === "/") return 0;
    let local = -1;
    if (target.startsWith("/p")) {
      local = between(target, target.startsWith("/p/") ? "/p/" : "/private/", ".html");
    } else if (target.startsWith("/view")) local = between(target, "/view?lang=en&id=", "");
    else if (target.startsWith("/section/")) {
      local = wholeNumber(target, target.indexOf("/", 9) + 1, target.length - 1);
    } else if (target.startsWith("/articles/")) {
      local = wholeNumber(target, target.lastIndexOf("-") + 1, target.length);
    }
    // The number alone does not make the name: form, folder and year must be the page's own.
    return local > 0 && this.path(local) === target ? local : -1;
  }

  alias(local: number): string {
    return `/go/${local}`;
  }

  aliased(target: string): number {
    return between(target, "/go/", "");
  }

  isPrivate(local: number): boolean {
    return local > 0 && this.#form(local) === PRIVATE_FORM;
  }

  isQuery(local: number): boolean {
    return local > 0 && this.#form(local) > 13;
  }

  #form(local: number): number {
    const form = mix(this.#seed ^ 0xf0f0, local) % FORMS;
    return form === PRIVATE_FORM && !this.#closedSection ? 1 : form;
  }
}

/** Names of a graph file's pages: /n/ and the page's number in the file, whatever the host. */
export class NumberNames implements PageNames {
  readonly acrossHosts = true;
  path(local: number): string {
    return `/n/${local}`;
  }
  local(target: string): number {
    return between(target, "/n/", "");
  }
  alias(local: number): string {
    return `/go/${local}`;
  }
  aliased(target: string): number {
    return between(target, "/go/", "");
  }
  isPrivate(): boolean {
    return false;
  }
  isQuery(): boolean {
    return false;
  }
}
