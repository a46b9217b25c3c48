import type { MessageRoute } from "../../frontier/exchange/mailbox.ts";
import {
  maxBlockBytes,
  readShardMessage,
  type ShardMessage,
  writeShardMessage,
} from "../../frontier/exchange/shard-message.ts";
import type { Random } from "../../web/seeded-random.ts";

const SLOT_BYTES = 512;

/** How reliable the way between threads is. */
export interface NetworkFaults {
  readonly loses: boolean;
  readonly repeats: boolean;
  readonly reorders: boolean;
}

/** A network between threads: what is sent arrives later, perhaps twice, perhaps in another order, perhaps not at all. */
export class SimNetwork {
  readonly #random: Random;
  readonly #faults: NetworkFaults;
  /** Per receiving thread: on the way, and arrived. */
  readonly #underway: Buffer[][];
  readonly #arrived: Buffer[][];
  /** Messages lost to a thread since the last time they were sent again. */
  readonly lostTo: Set<number> = new Set();

  constructor(threads: number, random: Random, faults: NetworkFaults) {
    this.#random = random;
    this.#faults = faults;
    this.#underway = Array.from({ length: threads }, () => []);
    this.#arrived = Array.from({ length: threads }, () => []);
  }

  send(thread: number, from: number, sent: ShardMessage): void {
    const bytes = Buffer.alloc(SLOT_BYTES);
    const message = bytes.subarray(0, writeShardMessage(bytes, sent));
    const { loses, repeats } = this.#faults;
    if (loses && this.#random.below(12) === 0) {
      // A connection that loses something is made anew by both: each sends again what it has no answer to.
      this.lostTo.add(thread).add(from);
      return;
    }
    this.#underway[thread]!.push(message);
    if (repeats && this.#random.below(6) === 0) this.#underway[thread]!.push(message);
  }

  /** Lets one message arrive; false when none is on its way. */
  deliver(): boolean {
    const busy = this.#underway.flatMap((messages, thread) => (messages.length > 0 ? thread : []));
    if (busy.length === 0) return false;
    const thread = busy[this.#random.below(busy.length)]!;
    const messages = this.#underway[thread]!;
    const at = this.#faults.reorders ? this.#random.below(messages.length) : 0;
    this.#arrived[thread]!.push(...messages.splice(at, 1));
    return true;
  }

  take(thread: number): Buffer | undefined {
    return this.#arrived[thread]!.shift();
  }
}

/** One thread's end of the network. What it has not sent dies with it. */
export class SimRoute implements MessageRoute {
  /** Nothing is lent in the simulation. */
  readonly unsentAboutLeases = 0;
  readonly #me: number;
  readonly #network: SimNetwork;
  readonly #waiting: [number, ShardMessage][] = [];
  blocksSent = 0;

  constructor(me: number, network: SimNetwork) {
    this.#me = me;
    this.#network = network;
  }

  get maxBlockBytes(): number {
    return maxBlockBytes(SLOT_BYTES);
  }

  post(thread: number, message: ShardMessage): void {
    this.#waiting.push([thread, { ...message, bytes: new Uint8Array(message.bytes) }]);
  }

  flush(): void {
    for (const [thread, message] of this.#waiting.splice(0)) {
      this.#network.send(thread, this.#me, message);
      if (message.kind === "links") this.blocksSent++;
    }
  }

  receive(handle: (message: ShardMessage) => void): void {
    for (let bytes = this.#network.take(this.#me); bytes; bytes = this.#network.take(this.#me)) {
      handle(readShardMessage(bytes, bytes.length));
    }
  }
}
