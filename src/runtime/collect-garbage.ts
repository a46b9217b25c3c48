let collect: (() => void) | undefined;

/**
 * Collects this thread's garbage now. V8 does so by itself only after 64 MiB of memory outside its heap have piled up in
 * a thread; with several threads and pages of 10 MiB that is most of the process. It takes some milliseconds, so call
 * it only after dropping megabytes.
 */
export function giveBackMemory(): void {
  if (collect === undefined) {
    // Loaded here: most threads never come here.
    process.getBuiltinModule("node:v8").setFlagsFromString("--expose-gc");
    collect = process.getBuiltinModule("node:vm").runInNewContext("gc") as () => void;
  }
  collect();
}
