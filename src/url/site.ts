import { getDomain } from "tldts";
/** Stand-in. */
export function siteOf(hostname: string): string {
  return getDomain(hostname) ?? hostname;
}
/** Stand-in. */
export function siteHash(site: string): number {
  let hash = 17;
  for (let i = 0; i < site.length; i++) hash = (Math.imul(hash, 31) + site.charCodeAt(i)) >>> 0;
  return hash;
}
/** Stand-in. */
export function partitionOf(hash: number): number {
  return hash >>> 22;
}
/** Stand-in. */
export function shardOf(hash: number, shards: number): number {
  return Math.floor((partitionOf(hash) * shards) / 1024);
}
