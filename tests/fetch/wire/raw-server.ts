import net from "node:net";
import type { TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type {
  Target,
  Transport,
  TransportRequest,
  TransportResult,
} from "../../../src/fetch/transport.ts";
import { WireClient, type WireOptions } from "../../../src/fetch/wire/client.ts";
import type { WireResponse } from "../../../src/fetch/wire/exchange.ts";

/** A server that sends exactly the bytes it is told to, in exactly the pieces. */
export interface RawServer {
  port: number;
  target: Target;
  /** Texts of the requests received, over all connections. */
  requests: string[];
  sockets: Set<net.Socket>;
  connections: number;
}

/** Answers one request on one connection. */
export type Answer = (socket: net.Socket, request: string, count: number) => void | Promise<void>;

/** Starts a raw server that ends with the test. */
export async function rawServer(t: TestContext, answer: Answer): Promise<RawServer> {
  const raw = { requests: [], sockets: new Set(), connections: 0 } as unknown as RawServer;
  const server = net.createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    raw.connections++;
    raw.sockets.add(socket);
    let text = "";
    socket.on("error", () => {});
    socket.on("close", () => raw.sockets.delete(socket));
    socket.on("end", () => socket.end());
    socket.on("data", (data) => {
      text += data.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        const request = text.slice(0, end + 4);
        text = text.slice(end + 4);
        raw.requests.push(request);
        void answer(socket, request, raw.requests.length);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(async () => {
    for (const socket of raw.sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  raw.port = (server.address() as net.AddressInfo).port;
  raw.target = {
    secure: false,
    hostname: "site.test",
    port: raw.port,
    address: "127.0.0.1",
    connectPort: raw.port,
  };
  return raw;
}

/** Writes pieces so that each is read on its own: both ends share this event loop, and it turns in between. */
export async function writePieces(socket: net.Socket, pieces: readonly (string | Uint8Array)[]) {
  for (const piece of pieces) {
    socket.write(typeof piece === "string" ? Buffer.from(piece, "latin1") : piece);
    await turns(3);
  }
}

/** Lets the event loop poll a few times. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn();
}

/** A client that is closed with the test. */
export function wireClient(t: TestContext, options?: WireOptions): WireClient {
  const client = new WireClient(options);
  t.after(() => client.close());
  return client;
}

/** Asks the server for a path. */
export function get(
  client: Transport,
  server: Pick<RawServer, "target">,
  path = "/",
  more: Partial<TransportRequest> = {},
): Promise<TransportResult> {
  return client.request({ target: server.target, path, headers: [], ...more });
}

/** The response, or an assertion error that names the failure. */
export function responseOf(result: TransportResult): WireResponse {
  if (result.kind === "response") return result.response as WireResponse;
  throw new Error(`expected a response, got ${result.error}: ${result.detail}`);
}

/** The failure code, or "response". */
export function errorOf(result: TransportResult): string {
  return result.kind === "failed" ? result.error : "response";
}
