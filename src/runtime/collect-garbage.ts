import v8 from "node:v8";
import vm from "node:vm";

let collect: (() => void) | undefined;

/**
 * Collects this thread's garbage now. V8 does so by itself only when 64 MiB of memory outside its heap have piled up
 * in a thread; with several threads that handle pages of 10 MiB, this is most of what the process holds. It costs
 * some milliseconds, so it is for whoever has just dropped megabytes.
 */
export function giveBackMemory(): void {
  if (collect === undefined) {
    v8.setFlagsFromString("--expose-gc");
    collect = vm.runInNewContext("gc") as () => void;
  }
  collect();
}
