/** A header of `--header`, or what `--auth` stands for: where it goes, and where its value comes from. */
export interface CredentialValue {
  /** Scheme, name and port of the server; undefined: all servers. */
  readonly origin: string | undefined;
  readonly name: string;
  readonly value: SecretSource;
}

/** A value that was typed, or the name of what holds it: only that is kept with the crawl. */
export type SecretSource =
  | { readonly kind: "typed"; readonly text: string }
  | { readonly kind: "env" | "file"; readonly text: string };

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,4096}$/;
const SOURCE = /^(env|file):(.+)$/s;
/** What the transport, the crawl or another option decides. */
const OURS =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept-encoding|user-agent|range|if-.*|proxy-.*)$/i;
const SECRET = /^(?:authorization|cookie2?)$/i;

/** Whether a program may set a header of this name: the crawl decides the others. */
export function mayChangeHeader(name: string): boolean {
  return NAME.test(name) && !OURS.test(name);
}

/** Whether this can be sent as the value of a header. */
export function mayHaveValue(value: string): boolean {
  return VALUE.test(value);
}

/** Reads a value of --header: `[ORIGIN ]NAME: VALUE`; a string is the reason for a refusal, without any part of the value. */
export function parseHeader(text: string): CredentialValue | string {
  const [, place, name, value] =
    /^(?:(https?:\/\/\S+)[ \t]+)?([^:\s]+):[ \t]*(.*)$/s.exec(text.trim()) ?? [];
  if (name === undefined || !NAME.test(name)) return "it is not of the form NAME: VALUE";
  if (OURS.test(name)) return `the crawl sets ${name} itself`;
  const origin = place === undefined ? undefined : originOf(place);
  if (place !== undefined && origin === undefined) return "its server is not an origin";
  if (origin === undefined && SECRET.test(name))
    return `${name} is for one server: put its origin before it, or use --auth or --cookies FILE`;
  const source = SOURCE.exec(value!);
  if (source !== null)
    return { origin, name, value: { kind: source[1] as "env" | "file", text: source[2]! } };
  if (!VALUE.test(value!)) return "its value cannot be sent";
  return { origin, name, value: { kind: "typed", text: value! } };
}

/** Reads a value of --auth: `ORIGIN=env:NAME` or `ORIGIN=file:PATH`. */
export function parseAuth(text: string): CredentialValue | string {
  const [, place, kind, name] = /^(https?:\/\/[^=\s]+)=(env|file):(.+)$/s.exec(text.trim()) ?? [];
  if (place === undefined)
    return "it is not of the form ORIGIN=env:NAME or ORIGIN=file:PATH; a password is never typed";
  const origin = originOf(place);
  if (origin === undefined) return "its server is not an origin, such as https://example.org";
  const value = { kind: kind as "env" | "file", text: name! };
  return { origin, name: "Authorization", value };
}

/** Why a value of --header or --auth is not one, or undefined. */
export function headerRefusal(text: string): string | undefined {
  const parsed = parseHeader(text);
  return typeof parsed === "string" ? parsed : undefined;
}

export function authRefusal(text: string): string | undefined {
  const parsed = parseAuth(text);
  return typeof parsed === "string" ? parsed : undefined;
}

function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash, username } = new URL(text);
  return pathname === "/" && search === "" && hash === "" && username === "" ? origin : undefined;
}
