import type { CrawlUrl } from "../url/crawl-url.ts";
import type { Field, FieldInfo, FieldWithDefault } from "./field.ts";
import { archive } from "./fields/archive-fields.ts";
import { budgets } from "./fields/budget-fields.ts";
import { dashboard } from "./fields/dashboard-fields.ts";
import { engine } from "./fields/engine-fields.ts";
import { links } from "./fields/link-fields.ts";
import { network } from "./fields/network-fields.ts";
import { pace } from "./fields/pace-fields.ts";
import { reach } from "./fields/scope-fields.ts";
import { shared } from "./fields/shared-fields.ts";
import { start } from "./fields/start-fields.ts";
import { visits } from "./fields/visit-fields.ts";
import type { RejectedLine } from "./seeds/seed-file.ts";

/** The one schema: types, defaults, validation, `--help` and docs/config.md all come from it. */
export const crawlSchema = {
  shape: {
    ...start,
    ...reach,
    ...budgets,
    ...links,
    ...pace,
    ...shared,
    ...engine,
    ...network,
    ...visits,
    ...archive,
    ...dashboard,
  },
} as const;

type Shape = typeof crawlSchema.shape;
type ValueOf<F> = F extends Field<infer T> ? T : never;
type NamesWithDefault = {
  [K in keyof Shape]: Shape[K] extends { readonly makeDefault: unknown } ? K : never;
}[keyof Shape];

/** What was set, defaults filled in. */
export type CrawlSettings = { [K in NamesWithDefault]: ValueOf<Shape[K]> } & {
  [K in Exclude<keyof Shape, NamesWithDefault>]?: ValueOf<Shape[K]> | undefined;
};

/** The name of a setting, as files and programs write it. */
export type SettingName = keyof CrawlSettings;

/** A complete, checked configuration; only `configFrom` makes one. Plain data, so it can be sent to a worker. */
export interface CrawlConfig
  extends Readonly<
    Omit<CrawlSettings, "seeds" | "perHost" | "linksPerThread" | "builders" | "userAgent">
  > {
  readonly seeds: readonly CrawlUrl[];
  /** Requests in flight in each thread; where they adapt, those of the beginning. */
  readonly linksPerThread: number;
  /** Whether they follow what limits the crawl; an older configuration says nothing, and means no. */
  readonly adaptsLinks?: boolean;
  readonly builders: number;
  /** Nobody asked for builders: the crawl chooses where they run; an older configuration says nothing, and means no. */
  readonly placesBuilder?: boolean;
  readonly perHost: number;
  readonly userAgent: string;
  /** host:port of every URL typed as an argument: the private addresses the user has consented to. */
  readonly consentedHosts: readonly string[];
  /** True without a contact: not one connection may leave this machine, redirects and links included. */
  readonly loopbackOnly: boolean;
  /** Of a crawl that several processes share: the name of this one, and the seeds of all their fingerprints. */
  readonly worker?: { readonly id: string; readonly seedLow: number; readonly seedHigh: number };
  /** Lines of the seed file that were skipped, for the reports. */
  readonly rejectedSeeds: readonly RejectedLine[];
}

/** Every setting with its field, in the order of the schema. */
export const fields: ReadonlyMap<SettingName, Field<unknown> & Partial<FieldWithDefault<unknown>>> =
  new Map(Object.entries(crawlSchema.shape) as [SettingName, Field<unknown>][]);

/** Every setting with its option, in the order of the schema. */
export const settings: ReadonlyMap<SettingName, FieldInfo> = new Map(
  [...fields].map(([name, { info }]) => [name, info]),
);
