import { generateKeyPairSync } from "node:crypto";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { SecureContextOptions } from "node:tls";
import type { Family, HostileCase, SecureServe } from "../case.ts";
import { type CertificateWish, type Issuer, makeCertificate } from "../certificate.ts";
import { drip, page, raw } from "../reply.ts";

const YEAR_MS = 365 * 86_400_000;

/** What is wrong with a certificate, self-signed and weak keys included. */
type Wish = Partial<CertificateWish> & { readonly self?: boolean; readonly weak?: boolean };

/** N11: certificates and protocols that must not be accepted, each with its own reason. */
export const certificates: Family = ({ issuer }) => {
  const bad = (
    name: string,
    serves: string,
    error: string | readonly string[],
    wish: Wish,
    context: SecureContextOptions = {},
  ): HostileCase => ({
    row: "N11",
    name,
    serves,
    expected: [{ outcome: "failed", error }],
    pages: { "/": page() },
    secure: (address) => ({ context: { ...certificate(address, issuer, wish), ...context } }),
  });
  const old: SecureContextOptions = { ciphers: "DEFAULT@SECLEVEL=0" };
  const stranger = makeCertificate({ name: "Unknown authority", authority: true });
  return [
    {
      row: "N11",
      name: "good",
      serves: "a certificate in order, to compare with (its authority is at /ca.pem)",
      expected: [{ outcome: "page" }],
      pages: { "/": page() },
      secure: (address) => ({ context: certificate(address, issuer, {}) }),
    },
    bad("expired", "a certificate that expired yesterday", "tls_expired", {
      from: new Date(Date.now() - YEAR_MS),
      until: new Date(Date.now() - 86_400_000),
    }),
    bad("not-yet", "a certificate that begins tomorrow", "tls_not_yet_valid", {
      from: new Date(Date.now() + 86_400_000),
    }),
    bad("self-signed", "a certificate signed by itself", "tls_self_signed", { self: true }),
    bad("unknown-authority", "a certificate of an authority nobody knows", "tls_untrusted", {
      issuer: stranger.issuer,
    }),
    bad("wrong-address", "a certificate for another address", "tls_wrong_host", {
      hosts: ["127.66.255.1"],
    }),
    bad("wrong-name", "a certificate for a name", "tls_wrong_host", {
      hosts: ["other.hostile.test", "*.hostile.test"],
    }),
    bad("nameless", "a certificate for nobody", "tls_wrong_host", { hosts: [] }),
    bad("sha1", "a certificate signed with SHA-1", "tls_weak", { hash: "sha1" }, old),
    bad("weak-key", "a certificate with an RSA key of 768 bits", "tls_weak", { weak: true }, old),
    bad("tls10", "TLS 1.0", "tls_protocol", {}, { ...old, ...only("TLSv1") }),
    bad("tls11", "TLS 1.1", "tls_protocol", {}, { ...old, ...only("TLSv1.1") }),
    {
      row: "N11",
      name: "plain",
      serves: "plain HTTP where TLS is expected",
      expected: [{ outcome: "failed", error: "tls_protocol" }],
      secure: () => ({
        raw: (socket) => void socket.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
      }),
    },
  ];
};

function only(version: "TLSv1" | "TLSv1.1" | "TLSv1.2"): SecureContextOptions {
  return { minVersion: version, maxVersion: version };
}

function certificate(address: string, issuer: Issuer, wish: Wish): SecureContextOptions {
  const { self = false, weak = false, ...rest } = wish;
  const { cert, key } = makeCertificate({
    name: address,
    hosts: [address],
    ...(self ? {} : { issuer }),
    ...(weak ? { keys: generateKeyPairSync("rsa", { modulusLength: 768 }) } : {}),
    ...rest,
  });
  return { cert, key };
}

/** Handshake record of TLS 1.2 that asks the client to begin anew. */
const HELLO_REQUEST = Buffer.from([0x16, 0x03, 0x03, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00]);
const CONNECT_SECONDS = [9, 11.5] as const;

/** N12: handshakes that do not come to an end. */
export const handshakes: Family = ({ issuer }) => {
  const stalls = (name: string, serves: string, secure: SecureServe): HostileCase => ({
    row: "N12",
    name,
    serves,
    slow: true,
    expected: [{ outcome: "failed", error: "connect_timeout" }],
    seconds: CONNECT_SECONDS,
    secure: () => secure,
  });
  const chain = (address: string, certificates: number, ballastBytes: number) => {
    let above = issuer;
    let pem = "";
    for (let i = 0; i < certificates; i++) {
      const next = makeCertificate({
        name: `Intermediate ${i}`,
        authority: true,
        issuer: above,
        ballastBytes,
      });
      pem = next.cert + pem;
      above = next.issuer;
    }
    const leaf = makeCertificate({ name: address, hosts: [address], issuer: above });
    return { cert: leaf.cert + pem, key: leaf.key };
  };
  return [
    stalls("silence", "a handshake that never begins", { raw: (socket) => socket.resume() }),
    stalls("drip", "a handshake of one byte per second", {
      raw: (socket) => {
        socket.resume();
        const hello = Buffer.from([0x16, 0x03, 0x03, 0x40, 0x00, 0x02, 0x00, 0x3f, 0xfc]);
        drip(socket, 1000, (n) => hello.subarray(n % 9, (n % 9) + 1));
      },
    }),
    stalls("renegotiation", "requests to begin anew, for ever, instead of an answer", {
      raw: (socket) => {
        socket.once("data", () => drip(socket, 100, () => HELLO_REQUEST));
      },
    }),
    {
      ...stalls("slow-chain", "a chain of 64 KiB at 1 KiB per second", {}),
      secure: (address) => ({
        context: chain(address, 4, 16_000),
        wrap: (socket) => new Narrow(socket, 1024),
      }),
    },
    {
      row: "N12",
      name: "long-chain",
      serves: "a chain of 64 KiB that is in order",
      expected: [{ outcome: "page" }],
      pages: { "/": page() },
      secure: (address) => ({ context: chain(address, 4, 16_000) }),
    },
    {
      row: "N12",
      name: "endless-chain",
      serves: "a chain of 256 KiB",
      expected: [{ outcome: "failed", error: ["tls_protocol", "tls_bad_certificate"] }],
      pages: { "/": page() },
      secure: (address) => ({ context: chain(address, 16, 16_000) }),
    },
    {
      row: "R17",
      name: "h2-only",
      serves: "TLS that offers HTTP/2 and nothing else",
      expected: [{ outcome: "failed", error: "tls_protocol" }],
      pages: { "/": page() },
      secure: (address) => ({ context: certificate(address, issuer, {}), protocols: ["h2"] }),
    },
    ...[
      { name: "h2-settings", serves: "huge SETTINGS of HTTP/2, unasked", frames: settings(3000) },
      { name: "h2-rapid-reset", serves: "a flood of RST_STREAM frames", frames: resets(5000) },
    ].map(
      ({ name, serves, frames }): HostileCase => ({
        row: "R17",
        name,
        serves,
        expected: [{ outcome: "failed", error: "bad_response" }],
        closes: true,
        pages: { "/": raw(frames) },
      }),
    ),
  ];
};

function frame(type: number, stream: number, body: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(body.length, 0, 3);
  head[3] = type;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, body]);
}

function settings(count: number): Buffer {
  return frame(4, 0, Buffer.alloc(6 * count, 0x7f));
}

function resets(count: number): Buffer {
  const frames = Array.from({ length: count }, (_, i) => frame(3, 2 * i + 1, Buffer.alloc(4)));
  return Buffer.concat([frame(4, 0, Buffer.alloc(0)), ...frames]);
}

/** A stream that passes data on at so many bytes per second. */
class Narrow extends Duplex {
  readonly #socket: Socket;
  readonly #bytesPerS: number;

  constructor(socket: Socket, bytesPerS: number) {
    super();
    this.#socket = socket;
    this.#bytesPerS = bytesPerS;
    socket.on("data", (chunk: Buffer) => this.push(chunk));
    socket.once("close", () => this.destroy());
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    let at = 0;
    const step = Math.max(1, this.#bytesPerS / 10);
    const timer = setInterval(() => {
      if (this.#socket.destroyed || at >= chunk.length) {
        clearInterval(timer);
        done();
        return;
      }
      this.#socket.write(chunk.subarray(at, at + step));
      at += step;
    }, 100);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
