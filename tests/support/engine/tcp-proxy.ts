import { createServer, type Server, Socket } from "node:net";

/** What happens to bytes on their way: they pass, connections are cut, or nothing arrives while connections stay open. */
export type ProxyMode = "pass" | "cut" | "blackhole";

/** A TCP proxy on loopback whose network can fail: cut, delayed, silent, held, or leading to another server. */
export class TcpProxy {
  readonly port: number;
  /** Where new connections lead. */
  targetPort: number;
  /** Every piece of data waits so long, in both directions. */
  delayMs = 0;
  /** Bytes passed so far, in both directions. */
  passedBytes = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #mode: ProxyMode = "pass";
  /** What waits while the network stands still. */
  #held: (() => void)[] | undefined;

  private constructor(server: Server, port: number, targetPort: number) {
    this.#server = server;
    this.port = port;
    this.targetPort = targetPort;
    server.on("connection", (socket) => this.#onConnection(socket));
  }

  static async start(targetPort: number): Promise<TcpProxy> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as { port: number };
    return new TcpProxy(server, port, targetPort);
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get mode(): ProxyMode {
    return this.#mode;
  }

  /** Changes what happens; a network that passes again also loses what it held, as one that was down does. */
  set mode(mode: ProxyMode) {
    this.#mode = mode;
    if (mode !== "blackhole") this.#endConnections();
  }

  /** Nothing arrives until `goOn`, and then everything does, in its order. */
  hold(): void {
    this.#held ??= [];
  }

  goOn(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const send of held) send();
  }

  async close(): Promise<void> {
    this.#endConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #endConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #onConnection(near: Socket): void {
    if (this.#mode === "cut") {
      near.destroy();
      return;
    }
    const far = new Socket();
    far.connect(this.targetPort, "127.0.0.1");
    this.#join(near, far);
    this.#join(far, near);
  }

  /** Passes on what comes in, and the end. */
  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.on("data", (data: Buffer) => {
      if (this.#mode !== "pass") return;
      const send = () => {
        if (this.#mode !== "pass" || to.destroyed) return;
        this.passedBytes += data.length;
        to.write(data);
      };
      if (this.#held !== undefined) this.#held.push(send);
      else if (this.delayMs > 0) setTimeout(send, this.delayMs);
      else send();
    });
    from.on("error", () => {});
    from.once("close", () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
