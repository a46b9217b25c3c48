import type { RequestHeaders, Target } from "../transport.ts";

// Characters above U+00FF would be cut to one byte when sent, and that byte may be a line end.
const BAD_PATH = /[^\x21-\x7e\x80-\xff]/;
const BAD_NAME = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;
const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const BAD_HOST = /[^!$&'()*+,\-.0-9:;=A-Z[\]_a-z~%]/;

/** What the requests to one target have in common. */
export interface Tail {
  /** The last header array, and the text that follows the path with it; "" where the host cannot be sent. */
  headers: RequestHeaders | undefined;
  tail: string;
}

/** Writes requests; remembers the text of the last header array, since a crawl nearly always sends the same one. */
export class RequestText {
  #lastHeaders: RequestHeaders | undefined;
  #lastBlock = "";
  /** True when the request written last was conditional. */
  conditional = false;

  /** The request in latin1, undefined when a part holds a character that may not be sent. A header array must not change once used. */
  write(target: Target, known: Tail, path: string, headers: RequestHeaders): string | undefined {
    if (path === "" || BAD_PATH.test(path)) return undefined;
    if (headers !== this.#lastHeaders && !this.#remember(headers)) return undefined;
    if (headers !== known.headers) {
      known.headers = headers;
      known.tail = this.#tailOf(target);
    }
    const { tail } = known;
    if (tail === "") return undefined;
    // RFC 9112, 3.2.2: a proxy gets the whole URL.
    const isWhole = target.proxy !== undefined && !target.secure;
    return isWhole ? `GET http://${hostOf(target)}${path}${tail}` : `GET ${path}${tail}`;
  }

  #tailOf(target: Target): string {
    const { hostname, secure, proxy } = target;
    // The proxy of a tunnel was told its password before.
    const authorization = secure ? undefined : proxy?.authorization;
    if (hostname === "" || BAD_HOST.test(hostname)) return "";
    if (authorization !== undefined && BAD_VALUE.test(authorization)) return "";
    // A proxy does not pass its credentials on.
    const secret = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`;
    return ` HTTP/1.1\r\nHost: ${hostOf(target)}\r\n${secret}${this.#lastBlock}`;
  }

  #remember(headers: RequestHeaders): boolean {
    let block = "";
    let conditional = false;
    for (const [name, value] of headers) {
      if (name === "" || BAD_NAME.test(name) || BAD_VALUE.test(value)) return false;
      block += `${name}: ${value}\r\n`;
      conditional ||= /^if-(none-match|modified-since)$/i.test(name);
    }
    this.#lastHeaders = headers;
    this.#lastBlock = `${block}\r\n`;
    this.conditional = conditional;
    return true;
  }
}

/** The value of Host. */
function hostOf({ hostname, port, secure }: Target): string {
  return port === (secure ? 443 : 80) ? hostname : `${hostname}:${port}`;
}
