import { createRequire } from "node:module";

type GetDomain = typeof import("tldts")["getDomain"];

/** Number of parts a crawl is divided into when machines share it. */
export const PARTITIONS = 1024;

const PARTITION_SHIFT = 22; // the upper ten bits of the hash
const MAX_REMEMBERED = 8192;

const SUFFIX_OPTIONS = {
  // Private suffixes count: alice.github.io and bob.github.io are two sites with two owners. Without them
  // scope `domain` would leak from one to the other, and all of github.io would load a single shard.
  allowPrivateDomains: true,
  extractHostname: false, // a hostname is what we have
  validateHostname: false, // the URL parser has validated it, and lets "_" pass as DNS does
};

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
let getDomain: GetDomain | undefined;

/** Loaded for the first name only: the list costs 12 MiB and 50 ms in every thread. */
function publicSuffixes(): GetDomain {
  getDomain ??= (createRequire(import.meta.url)("tldts") as { getDomain: GetDomain }).getDomain;
  return getDomain;
}

const remembered = new Map<string, string>();

/** The registrable domain of a host; an address, a single label or a public suffix is its own site. */
export function siteOf(hostname: string): string {
  const known = remembered.get(hostname);
  if (known !== undefined) return known;
  const site = findSite(hostname);
  // Emptied as a whole when full: a crawl uses few hosts over and over, so an order of use is not worth its cost.
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(hostname, site);
  return site;
}

function findSite(hostname: string): string {
  if (hostname.startsWith("[")) return hostname;
  // "example.com." is the same machine as "example.com".
  const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  if (IPV4.test(name)) return name;
  return publicSuffixes()(name, SUFFIX_OPTIONS) ?? name;
}

/** True for a name under which anyone may register, such as `co.uk`; also for a single label. */
export function isPublicSuffix(hostname: string): boolean {
  return publicSuffixes()(hostname, SUFFIX_OPTIONS) === null;
}

/** A number in 0..2^32-1 that depends on the site's characters alone: FNV-1a, then Murmur3's final mix. */
export function siteHash(site: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < site.length; i++) hash = Math.imul(hash ^ site.charCodeAt(i), 0x01000193);
  // FNV leaves the upper bits of short names badly mixed, and the partition is taken from them.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The partition of a site hash, 0..PARTITIONS-1. */
export function partitionOf(hash: number): number {
  return hash >>> PARTITION_SHIFT;
}

/** The shard of a site hash: shard s owns a run of neighbouring partitions, so the partition alone decides it. */
export function shardOf(hash: number, shards: number): number {
  return Math.floor((partitionOf(hash) * shards) / PARTITIONS);
}
