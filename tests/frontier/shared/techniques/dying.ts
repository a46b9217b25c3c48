/** Thrown in place of a shared access: the thread ends here, and no code of it runs any more. */
export class Death extends Error {}

const ACCESSES = ["load", "store", "add", "sub", "exchange", "compareExchange", "notify"] as const;

/**
 * Runs `work` as a thread that dies just before its nth access to a control word. True when it died, false when it
 * ended before. The code under test has no `finally`, so a throw leaves exactly what a terminated worker leaves.
 */
export function diesAt(access: number, work: () => void): boolean {
  let left = access;
  const real = ACCESSES.map((name) => Atomics[name]);
  const table = Atomics as unknown as Record<string, (...args: unknown[]) => unknown>;
  ACCESSES.forEach((name, i) => {
    table[name] = (...args) => {
      if (left-- === 0) throw new Death();
      return (real[i] as (...args: unknown[]) => unknown)(...args);
    };
  });
  try {
    work();
    return false;
  } catch (error) {
    if (error instanceof Death) return true;
    throw error;
  } finally {
    ACCESSES.forEach((name, i) => {
      table[name] = real[i] as (...args: unknown[]) => unknown;
    });
  }
}
