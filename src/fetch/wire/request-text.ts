import type { RequestHeaders, Target } from "../transport.ts";

// Characters above U+00FF would be cut to one byte when sent, and that byte may be a line end.
const BAD_PATH = /[^\x21-\x7e\x80-\xff]/;
const BAD_NAME = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;
const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const BAD_HOST = /[^!$&'()*+,\-.0-9:;=A-Z[\]_a-z~%]/;

/** Writes requests; remembers the text of targets, and of the last header array, since a crawl nearly always sends the same one. */
export class RequestText {
  #lastHeaders: RequestHeaders | undefined;
  #lastBlock = "";
  #lastConditional = false;
  /** The values of Host; "" where there can be none. */
  readonly #hosts = new WeakMap<Target, string>();

  /** True when the request written last was conditional. */
  get conditional(): boolean {
    return this.#lastConditional;
  }

  /** The request in latin1, undefined when a part holds a character that may not be sent. A header array must not change once used. */
  write(target: Target, path: string, headers: RequestHeaders): string | undefined {
    if (path === "" || BAD_PATH.test(path)) return undefined;
    const host = this.#hosts.get(target) ?? this.#rememberHost(target);
    if (host === "") return undefined;
    if (headers !== this.#lastHeaders && !this.#remember(headers)) return undefined;
    if (target.proxy === undefined || target.secure) {
      return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${this.#lastBlock}`;
    }
    // RFC 9112, 3.2.2: a proxy gets the whole URL. It does not pass its credentials on.
    const { authorization } = target.proxy;
    if (authorization !== undefined && BAD_VALUE.test(authorization)) return undefined;
    const secret = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`;
    return `GET http://${host}${path} HTTP/1.1\r\nHost: ${host}\r\n${secret}${this.#lastBlock}`;
  }

  #rememberHost(target: Target): string {
    const { hostname, port, secure } = target;
    const isBad = hostname === "" || BAD_HOST.test(hostname);
    const host = port === (secure ? 443 : 80) ? hostname : `${hostname}:${port}`;
    this.#hosts.set(target, isBad ? "" : host);
    return isBad ? "" : host;
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
    this.#lastConditional = conditional;
    return true;
  }
}
