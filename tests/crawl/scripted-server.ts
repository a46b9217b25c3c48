import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** Answers of a scripted server by path; what is not in the script is 404. */
export type Script = Record<string, (request: IncomingMessage, response: ServerResponse) => void>;

/** A page with links. */
export function html(body: string, headers: Record<string, string> = {}): Script[string] {
  return (_request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers });
    response.end(`<!doctype html><title>t</title>${body}`);
  };
}

/** A redirect. */
export function redirect(location: string, status = 302): Script[string] {
  return (_request, response) => response.writeHead(status, { location }).end();
}

/** A real server on loopback that follows a script; it counts what it was asked. */
export async function scriptedServer(
  t: TestContext,
  script: Script,
): Promise<{ origin: string; asked: string[]; refuseMore: () => void }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = request.url ?? "/";
    asked.push(url);
    const answer = script[url];
    if (answer !== undefined) answer(request, response);
    else response.writeHead(404, { "content-type": "text/plain" }).end("nothing here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, asked, refuseMore: () => server.close() };
}
