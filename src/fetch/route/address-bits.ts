import { isIP } from "node:net";

/** An address as one number, with the width of its family: 32 or 128 bits. */
export interface AddressBits {
  width: 32 | 128;
  bits: bigint;
}

/** A block of addresses, such as 10.0.0.0/8. */
export interface AddressBlock {
  width: 32 | 128;
  bits: bigint;
  prefix: number;
}

/** Reads an IPv4 or IPv6 address as Node writes it, brackets and zone allowed; undefined for anything else. */
export function addressBits(text: string): AddressBits | undefined {
  const bare = text.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  const family = isIP(bare);
  if (family === 0) return undefined;
  return family === 4 ? { width: 32, bits: ipv4(bare) } : { width: 128, bits: ipv6(bare) };
}

function ipv4(text: string): bigint {
  return text.split(".").reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function ipv6(text: string): bigint {
  const dotted = text.lastIndexOf(":") + 1;
  // The last 32 bits may be written as IPv4.
  const plain = text.includes(".")
    ? `${text.slice(0, dotted)}${hex32(ipv4(text.slice(dotted)))}`
    : text;
  const [head = "", tail] = plain.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right];
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

function hex32(bits: bigint): string {
  return `${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;
}

/** Reads "10.0.0.0/8", "fd00::/8" or a single address; undefined when malformed. */
export function addressBlock(text: string): AddressBlock | undefined {
  const slash = text.indexOf("/");
  const address = addressBits(slash < 0 ? text : text.slice(0, slash));
  if (address === undefined) return undefined;
  const size = slash < 0 ? String(address.width) : text.slice(slash + 1);
  if (!/^\d{1,3}$/.test(size) || Number(size) > address.width) return undefined;
  return { ...address, prefix: Number(size) };
}

/** Whether a block contains an address of the same family. */
export function contains(block: AddressBlock, address: AddressBits): boolean {
  if (block.width !== address.width) return false;
  const shift = BigInt(block.width - block.prefix);
  return block.bits >> shift === address.bits >> shift;
}
