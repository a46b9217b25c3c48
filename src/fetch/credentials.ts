import { readFileSync } from "node:fs";
import { printable } from "../config/printable.ts";
import { type CredentialValue, parseAuth, parseHeader } from "../config/values/credential-value.ts";
import { UsageError } from "../errors.ts";
import type { RequestHeaders } from "./transport.ts";

/** A header with its value, and the server it is for. Goes to the threads, and is written nowhere. */
export interface Credential {
  readonly origin: string | undefined;
  readonly name: string;
  readonly value: string;
}

/** The settings that name headers and secrets. */
export interface CredentialSettings {
  readonly headers?: readonly string[];
  readonly auth?: readonly string[];
}

const SENDABLE = /^[\t\x20-\x7e\x80-\xff]{1,4096}$/;

/** Reads what `--header` and `--auth` name, when a crawl begins. Throws UsageError without any part of a secret. */
export function readCredentials(
  { headers = [], auth = [] }: CredentialSettings,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Credential[] {
  const own = headers.map((text) => {
    const parsed = parseHeader(text) as CredentialValue;
    return { origin: parsed.origin, name: parsed.name, value: secretOf("--header", parsed, env) };
  });
  const logins = auth.map((text) => {
    const parsed = parseAuth(text) as CredentialValue;
    const secret = secretOf("--auth", parsed, env);
    // A scheme and its token, or name and password.
    const value = /^[A-Za-z]+ \S/.test(secret)
      ? secret
      : `Basic ${Buffer.from(secret, "utf8").toString("base64")}`;
    return { origin: parsed.origin, name: parsed.name, value };
  });
  return [...own, ...logins];
}

function secretOf(
  option: string,
  { value }: CredentialValue,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const { kind, text } = value;
  if (kind === "typed") return text;
  const where = `${option}: ${kind}:${printable(text)}`;
  const found = kind === "env" ? env[text] : fileText(text, where);
  if (found === undefined || found === "") throw new UsageError(`${where} is empty or not set`);
  const secret = found.replace(/\r?\n$/, "");
  if (!SENDABLE.test(secret))
    throw new UsageError(`${where} holds what cannot be sent in a header`);
  return secret;
}

function fileText(path: string, where: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new UsageError(`${where} cannot be read`, cause);
  }
}

/**
 * The headers of requests by the server that is asked. Every hop of a redirect is a request of its own, so what is for one
 * origin never reaches another scheme, host or port.
 */
export class OwnHeaders {
  readonly #all: RequestHeaders;
  readonly #byOrigin = new Map<string, RequestHeaders>();

  constructor(base: RequestHeaders, credentials: readonly Credential[]) {
    this.#all = merged(
      base,
      credentials.filter(({ origin }) => origin === undefined),
    );
    for (const { origin } of credentials)
      if (origin !== undefined && !this.#byOrigin.has(origin)) {
        const own = credentials.filter((each) => each.origin === origin);
        this.#byOrigin.set(origin, merged(this.#all, own));
      }
  }

  /** For a server that no secret is for. */
  get common(): RequestHeaders {
    return this.#all;
  }

  /** False when every server gets the same. */
  get differ(): boolean {
    return this.#byOrigin.size > 0;
  }

  /** For the server with this origin; always the same array. */
  for(origin: string): RequestHeaders {
    return this.#byOrigin.get(origin) ?? this.#all;
  }
}

/** Later ones replace earlier ones of the same name. */
function merged(base: RequestHeaders, more: readonly Credential[]): RequestHeaders {
  const names = new Set(more.map(({ name }) => name.toLowerCase()));
  const kept = base.filter(([name]) => !names.has(name.toLowerCase()));
  return [...kept, ...more.map(({ name, value }) => [name, value] as const)];
}
