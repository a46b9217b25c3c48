import net from "node:net";
import tls from "node:tls";
import { keepLatest } from "../../runtime/keep-latest.ts";
import type { Target } from "../transport.ts";
import type { TransportError } from "../transport-error.ts";
import { wireErrorOf } from "./wire-error.ts";

/** Missing from the type declarations, though documented for tls.connect. */
type OnRead = net.OnReadOpts;

const MAX_SESSIONS = 256;

/** Opens TLS connections: trust, names, and the sessions that later connections resume. */
export class SecureOptions {
  readonly #insecure: boolean;
  readonly #ca: string | undefined;
  readonly #sessions = new Map<string, Buffer>();
  #context: tls.SecureContext | undefined;

  constructor(insecure: boolean, ca: string | undefined) {
    this.#insecure = insecure;
    this.#ca = ca;
  }

  /** Opens a connection to the target's address, which must prove to be the host of the URL. */
  connect(
    target: Target,
    key: string,
    onread: OnRead,
    opened: net.Socket | undefined,
  ): tls.TLSSocket {
    // One context for all: loading the root certificates costs milliseconds.
    this.#context ??= tls.createSecureContext(this.#ca === undefined ? {} : { ca: this.#ca });
    const name = target.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
    const session = this.#sessions.get(key);
    const place =
      opened === undefined
        ? { host: target.address, port: target.connectPort, onread }
        : { socket: opened };
    const options: tls.ConnectionOptions & { onread?: OnRead } = {
      ...place,
      servername: net.isIP(name) ? "" : name, // RFC 6066: no addresses in SNI
      checkServerIdentity: (_host, certificate) => tls.checkServerIdentity(name, certificate),
      rejectUnauthorized: !this.#insecure,
      ALPNProtocols: ["http/1.1"],
      secureContext: this.#context,
      ...(session === undefined ? {} : { session }),
    };
    const socket = tls.connect(options);
    // A resumed session is not verified again, so a tolerated fault would go unnoticed.
    if (!this.#insecure) {
      socket.on("session", (fresh: Buffer) => keepLatest(this.#sessions, key, fresh, MAX_SESSIONS));
    }
    return socket;
  }

  /** Why the certificate of a tolerated connection does not verify. */
  fault(socket: net.Socket): TransportError | undefined {
    if (!this.#insecure || !(socket instanceof tls.TLSSocket) || socket.authorized)
      return undefined;
    // Declared as an Error, but in fact the code alone.
    const reason: unknown = socket.authorizationError;
    const code = reason instanceof Error ? (reason as NodeJS.ErrnoException).code : String(reason);
    return wireErrorOf(Object.assign(new Error(String(reason)), { code: code ?? "" }), true);
  }
}
