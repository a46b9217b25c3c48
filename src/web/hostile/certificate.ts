import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { isIPv4 } from "node:net";
import { bitString, der, integer, octets, oid, sequence, set, time, utf8, yes } from "./der.ts";

/** A certificate with its key; PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Who signs. */
export interface Issuer {
  readonly name: string;
  readonly key: KeyObject;
}

/** What to put into a certificate. */
export interface CertificateWish {
  readonly name: string;
  /** Subject alternative names: addresses or host names. */
  readonly hosts?: readonly string[];
  readonly authority?: boolean;
  /** Self-signed when absent. */
  readonly issuer?: Issuer;
  readonly from?: Date;
  readonly until?: Date;
  readonly hash?: "sha256" | "sha1";
  /** Bytes of comment, to make it large. */
  readonly ballastBytes?: number;
  readonly keys?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
}

const DAY_MS = 86_400_000;
const ECDSA = { sha256: "1.2.840.10045.4.3.2", sha1: "1.2.840.10045.4.1" };
const RSA = { sha256: "1.2.840.113549.1.1.11", sha1: "1.2.840.113549.1.1.5" };
let serial = 1;

/** A key pair on the curve P-256. */
export function newKeys(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function nameOf(common: string): Buffer {
  return sequence(set(sequence(oid("2.5.4.3"), utf8(common))));
}

function algorithm(key: KeyObject, hash: "sha256" | "sha1"): Buffer {
  if (key.asymmetricKeyType === "rsa") return sequence(oid(RSA[hash]), Buffer.from([5, 0]));
  return sequence(oid(ECDSA[hash]));
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return sequence(oid(id), ...(critical ? [yes] : []), octets(value));
}

function generalName(host: string): Buffer {
  if (isIPv4(host)) return der(0x87, Buffer.from(host.split(".").map(Number)));
  return der(0x82, Buffer.from(host));
}

function extensionsOf(wish: CertificateWish): Buffer {
  const { authority = false, hosts = [], ballastBytes = 0 } = wish;
  const list = [extension("2.5.29.19", true, sequence(...(authority ? [yes] : [])))];
  if (hosts.length > 0)
    list.push(extension("2.5.29.17", false, sequence(...hosts.map(generalName))));
  // A comment in the old Netscape style, which no client reads and every client has to receive.
  const comment = der(0x16, Buffer.alloc(ballastBytes, "x"));
  if (ballastBytes > 0) list.push(extension("2.16.840.1.113730.1.13", false, comment));
  return der(0xa3, sequence(...list));
}

/** Makes a certificate with whatever is wished to be wrong with it. */
export function makeCertificate(wish: CertificateWish): Certificate & { readonly issuer: Issuer } {
  const keys = wish.keys ?? newKeys();
  const issuer = wish.issuer ?? { name: wish.name, key: keys.privateKey };
  const hash = wish.hash ?? "sha256";
  const signing = algorithm(issuer.key, hash);
  const from = wish.from ?? new Date(Date.now() - DAY_MS);
  const until = wish.until ?? new Date(Date.now() + 30 * DAY_MS);
  const body = sequence(
    der(0xa0, integer(2)),
    integer(serial++),
    signing,
    nameOf(issuer.name),
    sequence(time(from), time(until)),
    nameOf(wish.name),
    keys.publicKey.export({ type: "spki", format: "der" }),
    extensionsOf(wish),
  );
  const signed = sequence(body, signing, bitString(sign(hash, body, issuer.key)));
  return {
    cert: pem("CERTIFICATE", signed),
    key: keys.privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    issuer: { name: wish.name, key: keys.privateKey },
  };
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g)!;
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
