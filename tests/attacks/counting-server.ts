import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on loopback for names that all lead to it, which counts what it was asked. */
export interface CountingServer {
  readonly port: number;
  /** How often each URL was asked for. */
  readonly asked: Map<string, number>;
  /** Requests so far. */
  readonly requests: () => number;
  /** Options that send these names here. */
  readonly resolve: (names: Iterable<string>) => string[];
  close(): Promise<void>;
}

/** Starts one; `answer` gets the URL, with its host as the client named it. */
export async function countingServer(
  answer: (url: URL, response: ServerResponse, request: IncomingMessage) => void,
): Promise<CountingServer> {
  const asked = new Map<string, number>();
  let requests = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    requests++;
    asked.set(url.href, (asked.get(url.href) ?? 0) + 1);
    answer(url, response, request);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    asked,
    requests: () => requests,
    resolve: (names) => [...names].flatMap((name) => ["--resolve", `${name}:127.0.0.1:${port}`]),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
