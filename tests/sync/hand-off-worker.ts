import { parentPort, workerData } from "node:worker_threads";
import { DOORBELL_WORDS, Doorbell } from "../../src/sync/doorbell.ts";
import { FIRST, framesOf, HandOffBuffer, LAST, totalOf } from "../../src/sync/hand-off-buffer.ts";

/** What one thread of the test is told: crawler 0 or 1, or 2 for the builder. */
export interface HandOffOrders {
  readonly role: number;
  readonly count: number;
  readonly size: number;
  readonly together: boolean;
  readonly memory: SharedArrayBuffer;
  readonly rung: Int32Array;
}

const { role, count, size, together, memory, rung } = workerData as HandOffOrders;
const bells = [0, 1, 2].map((i) => new Doorbell(rung, i * DOORBELL_WORDS));
const buffer = new HandOffBuffer(memory, size, 2, bells[2]!);
const bell = bells[role]!;

if (role === 2) build();
else crawl(role);

function crawl(lane: number): void {
  const frame = new DataView(new ArrayBuffer(12));
  const parts = [new Uint8Array(frame.buffer)];
  for (let n = 0; n < count; n++) {
    frame.setInt32(8, 2 * n + lane);
    while (!buffer.tryPut(lane, parts, FIRST | LAST)) {
      if (!buffer.hasRoom(lane, 12)) buffer.flush();
      const armed = bell.arm();
      buffer.want(lane);
      if (buffer.tryPut(lane, parts, FIRST | LAST)) {
        bell.disarm();
        break;
      }
      bell.sleep(armed, Number.POSITIVE_INFINITY);
    }
    if (!together && n % 100 === 99) buffer.flush();
  }
  if (together) buffer.idle(lane);
  else buffer.flush();
}

function build(): void {
  const stored: number[] = [];
  while (stored.length < 2 * count) {
    const armed = bell.arm();
    if (buffer.takeCall() === 0) {
      bell.sleep(armed, Number.POSITIVE_INFINITY);
      continue;
    }
    bell.disarm();
    const batch = buffer.take();
    for (const lane of [0, 1]) {
      for (let left = framesOf(batch, lane); left > 0; left--) {
        buffer.next(lane);
        const { buffer: at, byteOffset } = buffer.read(lane);
        stored.push(new DataView(at, byteOffset).getInt32(8));
      }
    }
    const wanting = buffer.giveBack(totalOf(batch));
    for (const lane of [0, 1]) if ((wanting & (1 << lane)) !== 0) bells[lane]!.ring();
  }
  parentPort!.postMessage(stored);
}
