import type { Family, HostileCase, Places } from "../case.ts";
import { addresses, ways } from "./addresses.ts";
import { bombs, codings } from "./codings.ts";
import { credentials } from "./credentials.ts";
import { answers, lengths } from "./framing.ts";
import { heads, redirects } from "./heads.ts";
import { markup, traps } from "./pages.ts";
import { robotsRows } from "./robots.ts";
import { certificates, handshakes } from "./secure.ts";
import { sitemapEntities, sitemapPlaces, sitemapSizes } from "./sitemaps.ts";
import { storage } from "./storage.ts";
import { busy, slowness } from "./timing.ts";
import { words } from "./words.ts";

const FAMILIES: readonly Family[] = [
  addresses,
  ways,
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
  words,
  storage,
  credentials,
];

/** Every case of every row. */
export function allCases(places: Places): HostileCase[] {
  return FAMILIES.flatMap((family) => family(places));
}
