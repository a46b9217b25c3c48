import type { CrawlUrl } from "../../url/crawl-url.ts";
import { sitemapDate } from "./sitemap-date.ts";
import type { SitemapList, SitemapNote } from "./sitemap-list.ts";
import type { XmlScanner } from "./xml-scanner.ts";
import { xmlText } from "./xml-text.ts";

type Field = "" | "entry" | "loc" | "lastmod" | "priority";

/**
 * Reads `urlset` and `sitemapindex` as leniently as the large search engines: any `loc` inside an entry counts, those
 * of image extensions too; an entry may hold its URL without `loc`; end tags may be missing, because any tag ends the
 * value before it.
 */
export class SitemapEntries {
  readonly #scanner: XmlScanner;
  readonly #list: SitemapList;
  /** What an entry outside `url` and `sitemap` counts as. */
  readonly #rootIsIndex: boolean;
  #entry: "" | "url" | "sitemap" = "";
  #entryPrefix = "";
  #field: Field = "";
  #locIsMain = false;
  #sawLoc = false;
  #main: CrawlUrl | undefined;
  #note: SitemapNote = {};

  constructor(scanner: XmlScanner, list: SitemapList, rootIsIndex: boolean) {
    this.#scanner = scanner;
    this.#list = list;
    this.#rootIsIndex = rootIsIndex;
  }

  open(name: string, prefix: string): void {
    if (this.#field !== "") this.#endField();
    const own = prefix === this.#entryPrefix;
    if (name === "url" || name === "sitemap") this.#startEntry(name, prefix);
    else if (name === "loc") {
      this.#locIsMain = own && this.#main === undefined;
      this.#sawLoc = true;
      this.#startField("loc");
    } else if (own && (name === "lastmod" || name === "priority")) this.#startField(name);
  }

  close(name: string): void {
    if (this.#field !== "") this.#endField();
    if (name === "url" || name === "sitemap") this.end();
  }

  /** Ends the entry; a value that the end of the file cuts off is not used, because it may be half a URL. */
  end(): void {
    if (this.#main !== undefined) this.#list.note(this.#main, this.#note);
    this.#entry = "";
    this.#field = "";
    this.#main = undefined;
  }

  #startEntry(name: "url" | "sitemap", prefix: string): void {
    this.end();
    this.#entry = name;
    this.#entryPrefix = prefix;
    this.#sawLoc = false;
    this.#locIsMain = true;
    this.#note = {};
    this.#startField("entry");
  }

  #startField(field: Field): void {
    this.#field = field;
    this.#scanner.collect();
  }

  #endField(): void {
    const field = this.#field;
    this.#field = "";
    const text = xmlText(this.#scanner.take() ?? "");
    if (field === "lastmod") {
      const lastmodMs = sitemapDate(text);
      if (lastmodMs !== undefined) this.#note.lastmodMs = lastmodMs;
    } else if (field === "priority") {
      const priority = text === "" ? Number.NaN : Number(text);
      if (priority >= 0 && priority <= 1) this.#note.priority = priority;
    } else if (field === "loc" || (text !== "" && !this.#sawLoc)) this.#add(text);
  }

  #add(link: string): void {
    const isIndex = this.#entry === "" ? this.#rootIsIndex : this.#entry === "sitemap";
    const url = isIndex ? this.#list.addSitemap(link) : this.#list.addUrl(link);
    if (this.#locIsMain && !isIndex) this.#main = url;
  }
}
