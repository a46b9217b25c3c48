import { domainToASCII } from "node:url";
import { UsageError } from "../../errors.ts";
import {
  type AddressBits,
  type AddressBlock,
  addressBits,
  addressBlock,
  contains,
} from "./address-bits.ts";

/** Kinds of addresses; a crawler connects to public ones only, unless the user allows more. */
export type AddressKind =
  | "public"
  | "private"
  | "loopback"
  | "link_local"
  | "metadata"
  | "unspecified"
  | "multicast"
  | "reserved";

type Special = readonly [block: AddressBlock, kind: AddressKind];

function special(kind: AddressKind, ...blocks: string[]): Special[] {
  return blocks.map((text) => [addressBlock(text)!, kind]);
}

/** The special-purpose registries of IANA, and where clouds keep their secrets; the first match counts. */
const IPV4: readonly Special[] = [
  // AWS, Azure and others; ECS; Alibaba; Oracle; Azure's platform address, which is public only by its number.
  ...special(
    "metadata",
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
  ),
  ...special("unspecified", "0.0.0.0/8"),
  ...special("private", "10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"),
  ...special("loopback", "127.0.0.0/8"),
  ...special("link_local", "169.254.0.0/16"),
  ...special("multicast", "224.0.0.0/4"),
  ...special(
    "reserved",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
  ),
  ...special("reserved", "203.0.113.0/24", "240.0.0.0/4"),
];

/** Built for the first IPv6 address: it takes a thread 5 ms, and many crawls have none. */
function readIpv6Blocks() {
  return {
    kinds: [
      ...special("unspecified", "::"),
      ...special("loopback", "::1"),
      ...special("metadata", "fd00:ec2::254", "fd20:ce::254"),
      ...special("private", "fc00::/7", "fec0::/10", "64:ff9b:1::/48"),
      ...special("link_local", "fe80::/10"),
      ...special("multicast", "ff00::/8"),
      // 2001::/23 holds Teredo, benchmarking and identifiers that are no locators; then documentation.
      ...special("reserved", "2001::/23", "2001:db8::/32", "3fff::/20"),
    ],
    globalUnicast: addressBlock("2000::/3")!,
    nat64: addressBlock("64:ff9b::/96")!,
    sixToFour: addressBlock("2002::/16")!,
    teredo: addressBlock("2001::/32")!,
    mapped: addressBlock("::ffff:0:0/96")!,
    /** IPv4-compatible and IPv4-translated addresses: obsolete, but some kernels still route them. */
    obsolete: [addressBlock("::/96")!, addressBlock("::ffff:0:0:0/96")!],
  };
}

let ipv6: ReturnType<typeof readIpv6Blocks> | undefined;

function ipv6Blocks() {
  ipv6 ??= readIpv6Blocks();
  return ipv6;
}

const ISATAP = 0x5efen;

/** Kinds of the addresses so far: every connection asks, mostly about the same few. */
const known = new Map<string, AddressKind>();
const MAX_KNOWN = 4096;

/** The kind of an address; anything not known to be public, malformed ones included, is not public. */
export function addressKind(ip: string): AddressKind {
  const before = known.get(ip);
  if (before !== undefined) return before;
  const address = addressBits(ip);
  const kind = address === undefined ? "reserved" : kindOf(address);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(ip, kind);
  return kind;
}

/** Whether an address means this machine. */
export function isLoopback(ip: string): boolean {
  return addressKind(ip) === "loopback";
}

function kindOf(address: AddressBits): AddressKind {
  if (address.width === 32) return specialKind(IPV4, address) ?? "public";
  const { teredo, kinds, mapped, nat64, sixToFour, obsolete, globalUnicast } = ipv6Blocks();
  if (contains(teredo, address)) return strictest(ipv4At(address, 0n, 0xffffffffn), "reserved");
  const found = specialKind(kinds, address);
  if (found !== undefined) return found;
  if (contains(mapped, address) || contains(nat64, address)) return ipv4At(address, 0n);
  if (contains(sixToFour, address)) return ipv4At(address, 80n);
  if (obsolete.some((block) => contains(block, address))) {
    return strictest(ipv4At(address, 0n), "reserved");
  }
  if (!contains(globalUnicast, address)) return "reserved";
  const interfaceId = (address.bits >> 32n) & 0xfdffffffn;
  return interfaceId === ISATAP ? ipv4At(address, 0n) : "public";
}

function specialKind(table: readonly Special[], address: AddressBits): AddressKind | undefined {
  return table.find(([block]) => contains(block, address))?.[1];
}

/** The kind of the IPv4 address inside an IPv6 address: packets may end up there. */
function ipv4At(address: AddressBits, shift: bigint, mask = 0n): AddressKind {
  return kindOf({ width: 32, bits: ((address.bits >> shift) & 0xffffffffn) ^ mask });
}

function strictest(inner: AddressKind, outer: AddressKind): AddressKind {
  return inner === "public" ? outer : inner;
}

/** A name as it is compared: lower case, without the brackets of IPv6 and the dot of the root. */
export function comparableHost(hostname: string): string {
  const lower = hostname.toLowerCase();
  if (lower.startsWith("[")) return lower.slice(1, -1);
  return lower.endsWith(".") ? lower.slice(0, -1) : lower;
}

/** An address as the gates know it: every spelling of one address, also as IPv4 inside IPv6, is the same text. */
export function addressGate(text: string): string {
  if (!text.includes(":")) return text;
  const address = addressBits(text);
  if (address === undefined) return text;
  const { mapped, nat64 } = ipv6Blocks();
  if (!contains(mapped, address) && !contains(nat64, address)) return address.bits.toString(16);
  const bytes = [24n, 16n, 8n, 0n].map((shift) => (address.bits >> shift) & 0xffn);
  return bytes.join(".");
}

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/;
const ALL_NUMERIC = /^[\d.]+(?:\/.*)?$/;

/**
 * A name to whose private addresses the user has consented, with those that it had when the crawl began. What it leads to
 * later is up to whoever owns the name; one that was public then consents to nothing.
 */
export interface Consent {
  readonly host: string;
  /** Of a URL that was typed; undefined for --allow-private HOST, which means every port. */
  readonly port?: number;
  readonly addresses: readonly string[];
}

/** Names a consent. */
export function consentKey({ host, port }: Pick<Consent, "host" | "port">): string {
  return `${host}|${port ?? "*"}`;
}

const NONE: readonly AddressBlock[] = [];

/** Decides whether the crawler may connect; asked with the very addresses that will be connected to. */
export class AddressPolicy {
  /** Blocks of one address each, by the key of their consent. */
  readonly #consents = new Map<string, AddressBlock[]>();
  readonly #blocks: AddressBlock[] = [];

  /** `allow` holds the values of --allow-private; the names among them count by their consents. */
  constructor(options: { consents: readonly Consent[]; allow: readonly string[] }) {
    for (const consent of options.consents) {
      const blocks = consent.addresses.map((address) => addressBlock(address)!);
      this.#consents.set(consentKey(consent), blocks);
    }
    for (const value of options.allow) this.#allow(value);
  }

  /** Any address that is not public refuses the whole name, unless the user has consented to that address. */
  refusal(
    hostname: string,
    port: number,
    addresses: readonly string[],
  ): "blocked_private_address" | undefined {
    const suspect = addresses.filter((address) => addressKind(address) !== "public");
    if (suspect.length === 0) return undefined;
    const host = comparableHost(hostname);
    const typed = this.#consents.get(consentKey({ host, port })) ?? NONE;
    const named = this.#consents.get(consentKey({ host })) ?? NONE;
    const isAllowed = (address: string) =>
      isIn(this.#blocks, address) || isIn(typed, address) || isIn(named, address);
    return suspect.every(isAllowed) ? undefined : "blocked_private_address";
  }

  #allow(value: string): void {
    const text = comparableHost(value.trim());
    const block = addressBlock(text);
    if (block !== undefined) this.#blocks.push(block);
    else if (!isHostName(text)) {
      throw new UsageError(
        `--allow-private "${value}" is neither an address block (10.0.0.0/8, fd00::/8), an address nor a host name`,
      );
    }
  }
}

function isIn(blocks: readonly AddressBlock[], text: string): boolean {
  if (blocks.length === 0) return false;
  const address = addressBits(text);
  if (address === undefined) return false;
  if (blocks.some((block) => contains(block, address))) return true;
  // ::ffff:10.0.0.1 is another spelling of 10.0.0.1.
  if (address.width === 32 || !contains(ipv6Blocks().mapped, address)) return false;
  const inner: AddressBits = { width: 32, bits: address.bits & 0xffffffffn };
  return blocks.some((block) => contains(block, inner));
}

/** Whether a text can be the name of a host; an address is none. */
export function isHostName(text: string): boolean {
  return HOST_NAME.test(domainToASCII(text)) && !ALL_NUMERIC.test(text);
}
