import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import { sitemapDate } from "./sitemap-date.ts";
import type { SitemapList } from "./sitemap-list.ts";
import type { XmlScanner } from "./xml-scanner.ts";
import { xmlText } from "./xml-text.ts";

type Field = "" | "link" | "guid" | "date";

interface Level {
  name: string;
  base: CrawlUrl;
}

interface Item {
  depth: number;
  prefix: string;
  /** The text of a `link` element (RSS), or the item's own address (CDF). */
  link: CrawlUrl | undefined;
  /** Where the first Atom link to the page itself leads. */
  alternate: CrawlUrl | undefined;
  guid: string | undefined;
  date: number | undefined;
}

// Nothing useful is deeper, and a bounded stack keeps the search for an open element cheap.
const MAX_DEPTH = 64;
const SHORTEST_WITH_BASE = 'a xml:base="x"'.length;
const DATES = new Set(["pubdate", "updated", "modified", "published", "issued", "date"]);
const FEEDS = new Set(["channel", "feed"]);

/**
 * Reads RSS 0.9 to 2.0, RDF, Atom and CDF: one page per item, its `link` (for Atom the first link that is an
 * alternate), else a `guid` that is a URL; and the page the feed itself belongs to.
 */
export class FeedEntries {
  /** The page that the feed belongs to. */
  home: CrawlUrl | undefined;
  readonly #scanner: XmlScanner;
  readonly #list: SitemapList;
  readonly #stack: Level[];
  #skippedDepth = 0;
  #item: Item | undefined;
  #field: Field = "";

  constructor(scanner: XmlScanner, list: SitemapList, url: CrawlUrl) {
    this.#scanner = scanner;
    this.#list = list;
    this.#stack = [{ name: "", base: url }];
  }

  open(name: string, prefix: string): void {
    if (this.#field !== "") this.#endField();
    // An item inside an item means that the end tag of the first is missing.
    if ((name === "item" || name === "entry") && this.#item !== undefined) this.#endItem();
    if (this.#stack.length > MAX_DEPTH) {
      this.#skippedDepth++;
      return;
    }
    const parent = this.#stack.at(-1)!;
    this.#stack.push({ name, base: this.#baseOf(parent.base) });
    const level = this.#stack.at(-1)!;
    if (name === "item" || name === "entry") this.#startItem(prefix, level.base);
    else if (name === "link") this.#link(prefix, parent, level.base);
    else if (FEEDS.has(name)) this.#setHome(this.#scanner.attributes().get("href"), level.base);
    else if (this.#item !== undefined && this.#item.depth === this.#stack.length - 1) {
      if (name === "guid") this.#startField("guid");
      else if (DATES.has(name) && this.#item.date === undefined) this.#startField("date");
    }
  }

  close(name: string): void {
    if (this.#field !== "") this.#endField();
    if (this.#skippedDepth > 0) {
      this.#skippedDepth--;
      return;
    }
    let at = this.#stack.length - 1;
    while (at > 0 && this.#stack[at]!.name !== name) at--;
    if (at === 0) return; // an end tag without a start
    if (this.#item !== undefined && at < this.#item.depth) this.#endItem();
    this.#stack.length = at;
  }

  /** Ends what is still open; a value cut off by the end of the file is not used. */
  end(): void {
    this.#field = "";
    this.#endItem();
  }

  #startItem(prefix: string, base: CrawlUrl): void {
    const href = this.#scanner.attributes().get("href"); // CDF
    this.#item = {
      depth: this.#stack.length,
      prefix,
      link: href === undefined ? undefined : canonicalize(href, base),
      alternate: undefined,
      guid: undefined,
      date: undefined,
    };
  }

  #link(prefix: string, parent: Level, base: CrawlUrl): void {
    const item = this.#item;
    const inItem = item !== undefined && item.depth === this.#stack.length - 1;
    if (!inItem && (item !== undefined || !FEEDS.has(parent.name))) return;
    const attributes = this.#scanner.attributes();
    const href = attributes.get("href");
    if (href === undefined) {
      // A `link` with text is RSS; one of another namespace is not the item's own.
      if (inItem ? prefix === item.prefix && item.link === undefined : this.home === undefined)
        this.#startField("link");
      return;
    }
    const rel = attributes.get("rel")?.toLowerCase() ?? "";
    if (rel !== "" && rel !== "alternate") return;
    if (inItem) item.alternate ??= canonicalize(href, base);
    else this.#setHome(href, base);
  }

  #setHome(link: string | undefined, base: CrawlUrl): void {
    if (link !== undefined && link !== "") this.home ??= canonicalize(link, base);
  }

  #startField(field: Field): void {
    this.#field = field;
    this.#scanner.collect();
  }

  #endField(): void {
    const field = this.#field;
    this.#field = "";
    const text = xmlText(this.#scanner.take() ?? "");
    if (text === "") return;
    const item = this.#item;
    const { base } = this.#stack.at(-1)!;
    if (field === "link" && item === undefined) this.#setHome(text, base);
    else if (item === undefined) return;
    else if (field === "date") item.date = sitemapDate(text);
    else if (field === "guid") item.guid ??= text;
    else item.link ??= canonicalize(text, base);
  }

  #endItem(): void {
    const item = this.#item;
    this.#item = undefined;
    if (item === undefined) return;
    // A guid is a URL only if it looks like one; isPermaLink is wrong too often.
    const guid = item.guid !== undefined && /^https?:\/\//i.test(item.guid) ? item.guid : undefined;
    const link = item.link ?? item.alternate ?? guid;
    if (link === undefined) return;
    const url = this.#list.addUrl(link);
    if (url !== undefined && item.date !== undefined)
      this.#list.note(url, { lastmodMs: item.date });
  }

  /** What links inside the element are resolved against: xml:base, where it is given. */
  #baseOf(inherited: CrawlUrl): CrawlUrl {
    if (this.#scanner.tagBytes < SHORTEST_WITH_BASE) return inherited;
    const base = this.#scanner.attributes().get("xml:base");
    return (base === undefined ? undefined : canonicalize(base, inherited)) ?? inherited;
  }
}
