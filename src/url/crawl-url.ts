/** A canonical URL; only the url room makes one. */
export type CrawlUrl = string & { readonly __brand: "CrawlUrl" };
