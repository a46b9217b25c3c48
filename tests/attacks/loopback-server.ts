import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Runs with a server on an address of this machine, which is closed afterwards. */
export async function withServer<T>(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  run: (port: number) => Promise<T>,
  where: { readonly host?: string; readonly port?: number } = {},
): Promise<T> {
  const server = createServer((request, response) => {
    if (request.url !== "/robots.txt") answer(request, response);
    else response.writeHead(404).end();
  });
  const { host = "127.0.0.1", port = 0 } = where;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  try {
    return await run((server.address() as AddressInfo).port);
  } finally {
    server.close().closeAllConnections();
  }
}

/** Answers with a page. */
export function sendPage(response: ServerResponse, body: string): void {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end(`<!doctype html>${body}`);
}
