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

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/;
const ALL_NUMERIC = /^[\d.]+(?:\/.*)?$/;

/** Decides whether the crawler may connect; asked with the very addresses that will be connected to. */
export class AddressPolicy {
  readonly #consented = new Set<string>();
  readonly #hosts = new Set<string>();
  readonly #blocks: AddressBlock[] = [];

  /** `consentedHosts` are typed by the user, exactly this host and port; `allow` holds blocks and host names. */
  constructor(options: {
    consentedHosts: readonly { hostname: string; port: number }[];
    allow: readonly string[];
  }) {
    for (const { hostname, port } of options.consentedHosts) {
      this.#consented.add(hostAndPort(hostname, port));
    }
    for (const value of options.allow) this.#allow(value);
  }

  /** Any address that is not public refuses the whole name, unless the user has consented to it. */
  refusal(
    hostname: string,
    port: number,
    addresses: readonly string[],
  ): "blocked_private_address" | undefined {
    const suspect = addresses.filter((address) => addressKind(address) !== "public");
    if (suspect.length === 0) return undefined;
    if (this.#consented.has(hostAndPort(hostname, port))) return undefined;
    if (this.#hosts.has(comparableHost(hostname))) return undefined;
    return suspect.every((address) => this.#isAllowed(address))
      ? undefined
      : "blocked_private_address";
  }

  #isAllowed(text: string): boolean {
    const address = addressBits(text);
    if (address === undefined) return false;
    if (this.#blocks.some((block) => contains(block, address))) return true;
    // ::ffff:10.0.0.1 is another spelling of 10.0.0.1.
    if (address.width === 32 || !contains(ipv6Blocks().mapped, address)) return false;
    const inner: AddressBits = { width: 32, bits: address.bits & 0xffffffffn };
    return this.#blocks.some((block) => contains(block, inner));
  }

  #allow(value: string): void {
    const text = comparableHost(value.trim());
    const block = addressBlock(text);
    if (block !== undefined) this.#blocks.push(block);
    else if (isHostName(text)) this.#hosts.add(domainToASCII(text));
    else {
      throw new UsageError(
        `--allow-private "${value}" is neither an address block (10.0.0.0/8, fd00::/8), an address nor a host name`,
      );
    }
  }
}

function isHostName(text: string): boolean {
  return HOST_NAME.test(domainToASCII(text)) && !ALL_NUMERIC.test(text);
}

function hostAndPort(hostname: string, port: number): string {
  return `${comparableHost(hostname)}|${port}`;
}
