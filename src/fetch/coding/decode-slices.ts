import { Deque } from "../../runtime/deque.ts";

const waiting = new Deque<() => void>();
let isPlanned = false;

/**
 * Goes on with a decoding after a turn of the event loop. However many are under way in a thread, only one goes on per
 * turn: so together they keep it from its requests for no longer than one slice.
 */
export function afterTurn(go: () => void): void {
  waiting.pushBack(go);
  plan();
}

function plan(): void {
  if (isPlanned || waiting.size === 0) return;
  isPlanned = true;
  setImmediate(() => {
    isPlanned = false;
    // First, because what goes on may throw.
    const go = waiting.shift()!;
    plan();
    go();
  });
}
