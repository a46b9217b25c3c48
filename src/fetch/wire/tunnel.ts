import type net from "node:net";
import { ResponseHead } from "../response-head.ts";
import type { TransportFailure } from "../transport.ts";
import { CLOSED } from "./dial.ts";

const MAX_HEAD_BYTES = 16 * 1024;
const BAD_AUTHORITY = /[^!$&'()*+,\-.0-9:;=A-Z[\]_a-z~%]/;

/**
 * Asks a proxy on a fresh connection for a tunnel to `host:port` (RFC 9110, 9.3.6); returns the failure, if any. From then
 * on the connection belongs to that host. A proxy that sends more than its head before our turn is not trusted.
 */
export function openTunnel(
  socket: net.Socket,
  authority: string,
  authorization: string | undefined,
  timeoutMs: number,
  closing: AbortSignal,
): Promise<TransportFailure | undefined> {
  return new Promise((resolve) => {
    let text = "";
    const settle = (failure: TransportFailure | undefined) => {
      clearTimeout(deadline);
      closing.removeEventListener("abort", onClosing);
      socket.off("data", onData).off("error", onError).off("close", onClose);
      if (failure !== undefined) socket.on("error", () => {}).destroy();
      else socket.pause();
      resolve(failure);
    };
    const refuse = (detail: string) => settle({ kind: "failed", error: "proxy_refused", detail });
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
    const onClosing = () => settle(CLOSED);
    closing.addEventListener("abort", onClosing);
    const deadline = setTimeout(
      () =>
        settle({
          kind: "failed",
          error: "connect_timeout",
          detail: `no tunnel in ${timeoutMs} ms`,
        }),
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
