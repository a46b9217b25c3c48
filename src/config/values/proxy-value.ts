/** A proxy: where it is, for which pages, and our credentials. */
export interface ProxyValue {
  /** undefined: for all pages. */
  readonly scheme: "http" | "https" | undefined;
  readonly hostname: string;
  readonly port: number;
  /** The value of Proxy-Authorization; it never goes anywhere else. */
  readonly authorization: string | undefined;
}

const FORM = /^(?:(https?)=)?(.*)$/s;

/** Reads a value of --proxy; a string is the reason for a refusal and contains no part of a password. */
export function parseProxy(value: string): ProxyValue | string {
  const [, scheme, address] = FORM.exec(value.trim())!;
  if (!URL.canParse(address!)) return "it is not a URL";
  const url = new URL(address!);
  if (url.protocol !== "http:") return "only proxies that are asked by http:// are supported";
  if (url.hostname === "") return "it names no host";
  if ((url.pathname !== "/" && url.pathname !== "") || url.search !== "" || url.hash !== "")
    return "a proxy has no path";
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (
    user === undefined ||
    password === undefined ||
    /[\r\n:]/.test(user) ||
    /[\r\n]/.test(password)
  )
    return "its name or password cannot be sent";
  const secret = Buffer.from(`${user}:${password}`, "utf8").toString("base64");
  return {
    scheme: scheme as "http" | "https" | undefined,
    hostname: url.hostname,
    port: url.port === "" ? 80 : Number(url.port),
    authorization: user === "" && password === "" ? undefined : `Basic ${secret}`,
  };
}

/** Why a value of --proxy is not one, or undefined. */
export function proxyRefusal(value: string): string | undefined {
  const proxy = parseProxy(value);
  return typeof proxy === "string" ? proxy : undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
