import { createServer, request as httpRequest } from "node:http";
import net, { type AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** A real HTTP proxy on loopback that knows where names lead and what it was told. */
export interface ProxyServer {
  readonly port: number;
  /** Request lines with the Proxy-Authorization that came with them. */
  readonly asked: string[];
}

/** Starts a proxy that sends every name to the given port of this machine. */
export async function proxyServer(
  t: TestContext,
  originPort: number,
  refuse = false,
): Promise<ProxyServer> {
  const asked: string[] = [];
  const note = (line: string, authorization: string | undefined) =>
    asked.push(`${line} ${authorization ?? "-"}`);
  const server = createServer((request, response) => {
    note(`GET ${request.url}`, request.headers["proxy-authorization"]);
    if (refuse) {
      response.writeHead(407).end();
      return;
    }
    const { "proxy-authorization": _secret, ...headers } = request.headers;
    const { pathname, search } = new URL(request.url!);
    const onward = httpRequest(
      { host: "127.0.0.1", port: originPort, path: pathname + search, headers },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    onward.end();
  });
  server.on("connect", (request, socket) => {
    note(`CONNECT ${request.url}`, request.headers["proxy-authorization"]);
    socket.on("error", () => {});
    if (refuse) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const onward = net.connect(originPort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    onward.on("error", () => socket.destroy());
    t.after(() => {
      socket.destroy();
      onward.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  return { port: (server.address() as AddressInfo).port, asked };
}
