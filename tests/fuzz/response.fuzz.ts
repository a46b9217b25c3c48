import assert from "node:assert/strict";
import net from "node:net";
import * as fc from "fast-check";
import { Client } from "undici";
import { DEFAULT_LIMITS } from "../../src/fetch/limits.ts";
import { HEAD_FACTS, ResponseHead } from "../../src/fetch/response-head.ts";
import { framingOf } from "../../src/fetch/wire/framing.ts";
import { PlainHead } from "../../src/fetch/wire/plain-head.ts";
import { ResponseReader } from "../../src/fetch/wire/response-reader.ts";
import { cutPoints, damage, oddResponse, validResponse } from "./response-cases.ts";
import { claim, type FuzzTarget } from "./target.ts";

/** Everything the reader says about a stream that comes in the given pieces and then ends. */
function read(stream: Buffer, cuts: readonly number[] = []) {
  const reader = new ResponseReader({
    limits: DEFAULT_LIMITS,
    maxBodyBytes: 2000,
    conditional: false,
    accept: undefined,
  });
  const ends = [...cuts.filter((cut) => cut < stream.length), stream.length].sort((a, b) => a - b);
  const receive = Buffer.alloc(stream.length + 1);
  let at = 0;
  for (const end of ends) {
    if (reader.done) break;
    receive.fill(0xee); // the receive buffer of a connection is overwritten too
    stream.copy(receive, 0, at, end);
    reader.push(receive, end - at);
    at = end;
  }
  reader.end(true, "closed");
  const { error, message, head, truncated, flag, reusable } = reader;
  const body = reader.takeBody().toString("latin1");
  return {
    error,
    message,
    head: head?.text,
    lines: head && [...head.lines()],
    status: head?.status,
    body,
    truncated,
    flag,
    reusable,
  };
}

const plain = new PlainHead(DEFAULT_LIMITS.maxHeadBytes, DEFAULT_LIMITS.maxHeadLines);

/** A head that is read plainly means what the reader says; most are left to the reader. */
function samePlainly(stream: Buffer): void {
  const length = plain.read(stream, stream.length);
  if (length === 0) return;
  const head = new ResponseHead(plain, stream, length);
  const reference = ResponseHead.parse(stream.toString("latin1", 0, length))!;
  const tell = (of: ResponseHead) => [
    [of.status, of.length, of.location, of.contentType, of.contentCoding],
    HEAD_FACTS.map((name) => [of.get(name), of.joined(name)]),
  ];
  assert.deepEqual(tell(head), tell(reference));
  const { bodyBytes, persistent } = plain;
  const framing = bodyBytes < 0 ? { kind: "chunked" } : { kind: "length", bytes: bodyBytes };
  assert.deepEqual(framingOf(reference), { ...framing, persistent });
}

const bytewise = (stream: Buffer) => Array.from(stream, (_, i) => i + 1);

function sameHoweverCut(stream: Buffer, cuts: readonly number[]): void {
  const whole = read(stream);
  for (const split of [read(stream, cuts), read(stream, bytewise(stream))]) {
    // Bytes after the end are seen only when they come together with it; that is the reader's stated exception.
    if (/after the end/.test(whole.message) && split.error === undefined) continue;
    assert.deepEqual({ ...split, reusable: 0 }, { ...whole, reusable: 0 });
  }
}

interface ReadResponse {
  status: number;
  lines: [string, string][];
  body: string;
}

/** A server on loopback that sends exactly the given bytes, and undici as its client. */
class UndiciReader {
  readonly #server: net.Server;
  readonly #client: Client;
  #response: Uint8Array = Buffer.alloc(0);
  #thenClose = false;

  private constructor(server: net.Server) {
    this.#server = server;
    const { port } = server.address() as net.AddressInfo;
    this.#client = new Client(`http://127.0.0.1:${port}`, { keepAliveTimeout: 60_000 });
    server.on("connection", (socket) => {
      socket.on("error", () => {});
      socket.on("data", () => {
        if (this.#thenClose) socket.end(this.#response);
        else socket.write(this.#response);
      });
    });
  }

  static async open(): Promise<UndiciReader> {
    const server = net.createServer({ noDelay: true });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new UndiciReader(server);
  }

  async read(stream: Buffer, thenClose: boolean): Promise<ReadResponse> {
    this.#response = stream;
    this.#thenClose = thenClose;
    const { statusCode, body, headers } = await this.#client.request({
      method: "GET",
      path: "/",
      responseHeaders: "raw",
    });
    const raw = headers as unknown as (string | Buffer)[];
    const lines: [string, string][] = [];
    for (let i = 0; i < raw.length; i += 2) lines.push([latin1(raw[i]!), latin1(raw[i + 1]!)]);
    const bytes = Buffer.from(await body.arrayBuffer());
    return { status: statusCode, lines, body: bytes.toString("latin1") };
  }

  async close(): Promise<void> {
    await this.#client.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function latin1(text: string | Buffer): string {
  return typeof text === "string" ? text : text.toString("latin1");
}

/** The reader of HTTP responses: no cutting of the stream matters, and valid ones mean what undici says. */
export const responseTarget: FuzzTarget = {
  name: "response",
  async open() {
    const reader = await UndiciReader.open();
    return {
      close: () => reader.close(),
      parts: [
        {
          name: "splits",
          property: claim(
            fc.property(oddResponse, cutPoints, ({ stream, body }, cuts) => {
              const whole = read(stream);
              assert.equal(whole.error, undefined, whole.message);
              assert.equal(whole.body, body);
              sameHoweverCut(stream, cuts);
            }),
          ),
        },
        {
          name: "damaged",
          property: claim(
            fc.property(oddResponse, damage, cutPoints, ({ stream }, spoil, cuts) =>
              sameHoweverCut(spoil(stream), cuts),
            ),
          ),
        },
        {
          name: "plain",
          property: claim(
            fc.property(validResponse, damage, ({ stream }, spoil) => {
              samePlainly(stream);
              samePlainly(spoil(stream));
            }),
          ),
        },
        {
          name: "undici",
          slow: true,
          property: claim(
            fc.asyncProperty(validResponse, async ({ stream, closes }) => {
              const got = await reader.read(stream, closes);
              const { status, lines, body, error } = read(stream);
              assert.deepEqual(
                { error, status, lines, body },
                { error: undefined, ...got, body: got.body },
              );
            }),
          ),
        },
      ],
    };
  },
};
