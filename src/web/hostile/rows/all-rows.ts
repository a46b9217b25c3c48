import type { Family, HostileCase, Places } from "../case.ts";
import { addresses, detours } from "./address-rows.ts";
import { bombs, codings } from "./coding-rows.ts";
import { credentials } from "./credential-rows.ts";
import { answers, lengths } from "./framing-rows.ts";
import { heads, redirects } from "./head-rows.ts";
import { markup, traps } from "./markup-rows.ts";
import { robotsRows } from "./robots-rows.ts";
import { sitemapEntities, sitemapPlaces, sitemapSizes } from "./sitemap-rows.ts";
import { storage } from "./storage-rows.ts";
import { strangePages } from "./strange-rows.ts";
import { busy, slowness } from "./timing-rows.ts";
import { certificates, handshakes } from "./tls-rows.ts";

const FAMILIES: readonly Family[] = [
  addresses,
  detours,
  certificates,
  handshakes,
  bombs,
  codings,
  lengths,
  slowness,
  heads,
  redirects,
  answers,
  busy,
  robotsRows,
  sitemapPlaces,
  sitemapEntities,
  sitemapSizes,
  markup,
  traps,
  strangePages,
  storage,
  credentials,
];

/** Every case of every row. */
export function allCases(places: Places): HostileCase[] {
  return FAMILIES.flatMap((family) => family(places));
}
