import type { RequestHeaders, Target } from "../transport.ts";

// Characters above U+00FF would be cut to one byte when sent, and that byte may be a line end.
const BAD_PATH = /[^\x21-\x7e\x80-\xff]/;
const BAD_NAME = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;
const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const BAD_HOST = /[^!$&'()*+,\-.0-9:;=A-Z[\]_a-z~%]/;

/** Writes requests; remembers what follows the path for the last header array, since a crawl nearly always sends the same one. */
export class RequestText {
  #lastHeaders: RequestHeaders | undefined;
  #lastBlock = "";
  #lastConditional = false;
  /** What follows the path, by target; "" where a host cannot be sent. It holds for the last header array. */
  #tails = new WeakMap<Target, string>();

  /** True when the request written last was conditional. */
  get conditional(): boolean {
    return this.#lastConditional;
  }

  /** The request in latin1, undefined when a part holds a character that may not be sent. A header array must not change once used. */
  write(target: Target, path: string, headers: RequestHeaders): string | undefined {
    if (path === "" || BAD_PATH.test(path)) return undefined;
    if (headers !== this.#lastHeaders && !this.#remember(headers)) return undefined;
    const tail = this.#tails.get(target) ?? this.#rememberTail(target);
    if (tail === "") return undefined;
    // RFC 9112, 3.2.2: a proxy gets the whole URL.
    const isWhole = target.proxy !== undefined && !target.secure;
    return isWhole ? `GET http://${hostOf(target)}${path}${tail}` : `GET ${path}${tail}`;
  }

  #rememberTail(target: Target): string {
    const { hostname, secure, proxy } = target;
    // The proxy of a tunnel was told its password before.
    const authorization = secure ? undefined : proxy?.authorization;
    const isBad =
      hostname === "" ||
      BAD_HOST.test(hostname) ||
      (authorization !== undefined && BAD_VALUE.test(authorization));
    // A proxy does not pass its credentials on.
    const secret = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`;
    const tail = ` HTTP/1.1\r\nHost: ${hostOf(target)}\r\n${secret}${this.#lastBlock}`;
    this.#tails.set(target, isBad ? "" : tail);
    return isBad ? "" : tail;
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
    this.#tails = new WeakMap();
    this.#lastConditional = conditional;
    return true;
  }
}

/** The value of Host. */
function hostOf({ hostname, port, secure }: Target): string {
  return port === (secure ? 443 : 80) ? hostname : `${hostname}:${port}`;
}
