import { connect } from "node:net";

/** Sends the pieces one after another, each as its own packet, and gives all that comes back until the end. */
export function rawExchange(port: number, pieces: readonly (string | Buffer)[]): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const parts: Buffer[] = [];
    socket.on("data", (part) => parts.push(part));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(parts)));
    const sendFrom = (index: number): void => {
      const piece = pieces[index];
      if (piece === undefined) socket.end();
      else socket.write(piece, "latin1", () => setImmediate(sendFrom, index + 1));
    };
    socket.once("connect", () => sendFrom(0));
  });
}
