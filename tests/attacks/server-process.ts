import { type ChildProcess, fork } from "node:child_process";

/** A server in a process of its own, so that it takes nothing of the crawler's event loop. */
export interface ServerProcess {
  readonly port: number;
  /** Calls back with what it sends after its port. */
  onMessage(listener: (message: unknown) => void): void;
  stop(): Promise<void>;
}

/** Starts a compiled module beside this one, which calls `serve` with what `givenOptions` returns. */
export async function startServer(module: string, options: object): Promise<ServerProcess> {
  const child: ChildProcess = fork(new URL(module, import.meta.url), [JSON.stringify(options)]);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    child.once("message", (message) => resolve((message as { port: number }).port));
    child.once("exit", (code) => reject(new Error(`${module} ended with ${code}`)));
  });
  return {
    port,
    onMessage: (listener) => child.on("message", listener),
    stop: () => {
      child.kill("SIGKILL");
      return ended;
    },
  };
}
