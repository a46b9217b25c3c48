import { createSocket, type Socket } from "node:dgram";
import { isIP } from "node:net";

/** The answer to one question: records, a response code, or nothing at all. */
export type DnsAnswer = { records: string[]; ttl?: number } | { rcode: number } | "silence";

const A = 1;
const AAAA = 28;

/** A name server on loopback with whatever answers its creator wants. */
export class NameServer {
  readonly questions: string[] = [];
  readonly #socket: Socket;
  readonly #answer: (name: string, family: 4 | 6, nth: number) => DnsAnswer;

  private constructor(
    socket: Socket,
    answer: (name: string, family: 4 | 6, nth: number) => DnsAnswer,
  ) {
    this.#socket = socket;
    this.#answer = answer;
    socket.on("message", (message, from) => {
      const reply = this.#reply(message);
      if (reply !== undefined) socket.send(reply, from.port, from.address);
    });
  }

  /** Starts a server; `nth` counts the questions for this name and family from 1. */
  static async start(
    answer: (name: string, family: 4 | 6, nth: number) => DnsAnswer,
    address = "127.0.0.1",
  ): Promise<NameServer> {
    const socket = createSocket("udp4");
    const server = new NameServer(socket, answer);
    await new Promise<void>((resolve) => socket.bind(0, address, resolve));
    return server;
  }

  get address(): string {
    const { address, port } = this.#socket.address();
    return `${address}:${port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }

  #reply(message: Buffer): Buffer | undefined {
    const labels: string[] = [];
    let at = 12;
    for (let size = message[at]!; size > 0; size = message[at]!) {
      labels.push(message.toString("latin1", at + 1, at + 1 + size));
      at += 1 + size;
    }
    const type = message.readUInt16BE(at + 1);
    const question = message.subarray(12, at + 5);
    const name = labels.join(".").toLowerCase();
    const key = `${name} ${type === A ? 4 : 6}`;
    this.questions.push(key);
    const nth = this.questions.filter((asked) => asked === key).length;
    const answer = this.#answer(name, type === AAAA ? 6 : 4, nth);
    if (answer === "silence") return undefined;
    const records =
      "records" in answer ? answer.records.map((ip) => record(ip, answer.ttl ?? 60)) : [];
    const rcode = "rcode" in answer ? answer.rcode : 0;
    // The number of the question, the flags of an answer, one question, so many records.
    const flags = [0x81, 0x80 | rcode, 0, 1, 0, records.length, 0, 0, 0, 0];
    return Buffer.concat([message.subarray(0, 2), Buffer.from(flags), question, ...records]);
  }
}

function record(ip: string, ttl: number): Buffer {
  const isIPv4 = isIP(ip) === 4;
  const groups = ip.split(":").map((group) => group.padStart(4, "0"));
  const data = isIPv4
    ? Buffer.from(ip.split(".").map(Number))
    : Buffer.from(groups.join(""), "hex");
  // The name of the question, type, class, time to live, length.
  const head = Buffer.from([0xc0, 0x0c, 0, isIPv4 ? A : AAAA, 0, 1, 0, 0, 0, 0, 0, data.length]);
  head.writeUInt32BE(ttl, 6);
  return Buffer.concat([head, data]);
}
