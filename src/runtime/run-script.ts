import type { Script as Program } from "node:vm";

/** What `tools/as-script.mjs` makes of a module. */
type BundleFunction = (
  require: (name: string) => unknown,
  bundleUrl: string,
  importModule: (name: string) => Promise<unknown>,
) => BundleExports | Promise<BundleExports>;
type BundleExports = Readonly<Record<string, unknown>>;

// Nothing is imported, because an import looks at all properties of a module: that opens standard input and output
// (node:process), or loads streams (node:fs).
const { arch, getBuiltinModule, pid, version, versions } = process;
const { readFileSync, renameSync, rmSync, writeFileSync } = getBuiltinModule("node:fs");
const { Script } = getBuiltinModule("node:vm");
const { threadId } = getBuiltinModule("node:worker_threads");
const { crc32 } = getBuiltinModule("node:zlib");

/** The flags of V8 that a crawl changes while it runs (`compile-less.ts`), as V8 11 has them by itself: code is kept with these. */
export const USUAL_BUDGET = "--interrupt-budget=67584";
export const USUAL_INLINING = "--max-inlined-bytecode-size-cumulative=920";
export const hasKnownFlags = versions.v8.startsWith("11.");

/**
 * Runs a bundle with the code that an earlier run compiled for it; compiling it is otherwise a good part of what a
 * thread costs to start. A cache that does not fit is not used: V8 refuses one of another version or with other flags,
 * and it names the check sum of the text it was made of. Where there is none for this Node, it is written when the thread
 * ends.
 */
export function runScript(file: URL, errors: object): BundleExports | Promise<BundleExports> {
  const bytes = readFileSync(file);
  const cacheFile = new URL(cacheName(file.pathname), file);
  const check = crc32(bytes);
  const cached = readCache(cacheFile, check);
  keepQuietAboutLoader();
  const script = new Script(bytes.toString("latin1"), {
    filename: file.href,
    ...(cached && { cachedData: cached }),
  });
  if (cached === undefined) {
    const v8 = getBuiltinModule("node:v8");
    const flags = v8.cachedDataVersionTag();
    process.once("exit", () => {
      if (hasKnownFlags)
        for (const flag of [USUAL_BUDGET, USUAL_INLINING]) v8.setFlagsFromString(flag);
      writeCache(cacheFile, check, script, () => v8.cachedDataVersionTag() === flags);
    });
  }
  const bundle = script.runInThisContext() as BundleFunction;
  return bundle(
    (name) => (name.startsWith("node:") ? getBuiltinModule(name) : errors),
    file.href,
    (name) => import(name.startsWith(".") ? new URL(name, file).href : name),
  );
}

/** Node 20 warns on standard error when a script imports a module; nothing else that it warns of is left out. */
function keepQuietAboutLoader(): void {
  const emitWarning = process.emitWarning as (...args: unknown[]) => void;
  process.emitWarning = (...args: unknown[]) => {
    if (!String(args[0]).startsWith("vm.USE_MAIN_CONTEXT_DEFAULT_LOADER")) emitWarning(...args);
  };
}

function cacheName(script: string): string {
  const name = script.slice(script.lastIndexOf("/") + 1).replace(/\.script\.js$/, "");
  return `./${name}.${version}-${arch}.cache`;
}

// Two check sums in front: of the text, and of the code behind them, which a power loss may have left unwritten.
const TEXT_CHECK = 0;
const CODE_CHECK = 4;
const HEAD_BYTES = 8;

function readCache(file: URL, textCheck: number): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined;
  }
  if (bytes.length <= HEAD_BYTES || bytes.readUInt32LE(TEXT_CHECK) !== textCheck) return undefined;
  const code = bytes.subarray(HEAD_BYTES);
  return bytes.readUInt32LE(CODE_CHECK) === crc32(code) ? code : undefined;
}

/**
 * A folder that cannot be written only means that the next start costs as much as this one; so do flags that another
 * thread changes meanwhile, with which nobody starts.
 */
function writeCache(file: URL, textCheck: number, script: Program, isFitting: () => boolean): void {
  const temporary = new URL(`${file.href}.${pid}-${threadId}`);
  try {
    // First, so that nothing is made that cannot be kept.
    writeFileSync(temporary, "");
    const code = script.createCachedData();
    if (!isFitting()) throw new Error("compiled with other flags");
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32LE(textCheck, TEXT_CHECK);
    head.writeUInt32LE(crc32(code), CODE_CHECK);
    writeFileSync(temporary, Buffer.concat([head, code]));
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}
