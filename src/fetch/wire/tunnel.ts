import type net from "node:net";
import { ResponseHead } from "./response-head.ts";
import type { WireError } from "./wire-error.ts";

const MAX_HEAD_BYTES = 16 * 1024;
const BAD_AUTHORITY = /[^!$&'()*+,\-.0-9:;=A-Z[\]_a-z~%]/;

/** undefined when the tunnel stands, or why it does not. */
export type TunnelFailure = { readonly error: WireError; readonly message: string } | undefined;

/**
 * Asks a proxy on a fresh connection for a way to `host:port` (RFC 9110, 9.3.6). Afterwards whatever passes belongs to
 * that host. A proxy that says more than its head before we speak is not trusted.
 */
export function openTunnel(
  socket: net.Socket,
  authority: string,
  authorization: string | undefined,
  timeoutMs: number,
): Promise<TunnelFailure> {
  return new Promise((resolve) => {
    let text = "";
    const settle = (failure: TunnelFailure) => {
      clearTimeout(deadline);
      socket.off("data", onData).off("error", onError).off("close", onClose);
      if (failure !== undefined) socket.on("error", () => {}).destroy();
      else socket.pause();
      resolve(failure);
    };
    const refuse = (message: string) => settle({ error: "proxy_refused", message });
    const onData = (bytes: Buffer) => {
      text += bytes.toString("latin1");
      const end = /\r?\n\r?\n/.exec(text);
      if (end === null) {
        if (text.length > MAX_HEAD_BYTES) refuse("its answer has no end");
        return;
      }
      const head = ResponseHead.parse(text.slice(0, end.index + end[0].length));
      if (head === undefined) refuse("its answer is not HTTP");
      else if (head.status < 200 || head.status > 299) refuse(`it answered ${head.status}`);
      else if (text.length > end.index + end[0].length) refuse("it spoke before its turn");
      else settle(undefined);
    };
    const onError = (error: Error) => refuse(error.message);
    const onClose = () => refuse("it closed the connection");
    const deadline = setTimeout(
      () => settle({ error: "connect_timeout", message: `no tunnel in ${timeoutMs} ms` }),
      timeoutMs,
    );
    socket.on("data", onData).on("error", onError).on("close", onClose);
    if (BAD_AUTHORITY.test(authority)) {
      refuse("the host holds a character that may not be sent");
      return;
    }
    const secret = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`;
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${secret}\r\n`, "latin1");
  });
}
