import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers a request; the name that was asked for is in the Host header. */
export type Handler = (request: IncomingMessage, response: ServerResponse, host: string) => void;

/** Serves at one port of several loopback addresses and tells the parent process which port it is. */
export async function serve(addresses: readonly string[], handler: Handler): Promise<void> {
  let port = 0;
  for (const address of addresses) {
    const server = createServer({ keepAlive: true }, (request, response) => {
      // Clients that leave are ordinary here.
      response.on("error", () => {});
      handler(request, response, (request.headers.host ?? "").replace(/:\d+$/, ""));
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: address, port, backlog: 1024 }, resolve);
    });
    ({ port } = server.address() as AddressInfo);
  }
  process.on("disconnect", () => process.exit());
  process.send!({ port });
}

/** What the parent process asked for, as JSON in the first argument. */
export function givenOptions<T>(): T {
  return JSON.parse(process.argv[2]!) as T;
}
