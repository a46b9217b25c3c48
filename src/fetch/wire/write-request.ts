import type net from "node:net";

/** The inside of a socket of `node:net`, in every version since 10; missing from the type declarations. */
interface Handle {
  /** 0, or the number of an error, after which nothing has been written. */
  writeLatin1String?(write: Write, text: string): number;
  /** Bytes that the kernel has not taken yet. */
  readonly writeQueueSize?: number;
}

/** What a handle needs for each write; it is used only when the kernel does not take everything at once. */
interface Write {
  oncomplete: (status: number) => unknown;
}

type WriteClass = new () => Write;

/** Learnt from the first request, because Node does not export it; undefined also where it is something else. */
let WriteOf: WriteClass | undefined;
let isLearnt = false;
/** One object for all writes that are over when the call returns, as nearly all are. */
let spare: Write | undefined;

/**
 * Writes the text of a request to an open TCP socket by one call of its handle, because the machinery of streams around it
 * costs a seventh of the system call. False when that cannot be done, and nothing is written: then the stream has to be
 * used, from now on for this socket.
 */
export function writeRequest(socket: net.Socket, text: string): boolean {
  const handle = (socket as unknown as { _handle?: Handle | null })._handle;
  if (!isLearnt) learnFrom(handle);
  else if (WriteOf !== undefined && handle != null) {
    const write = spare ?? new WriteOf();
    spare = undefined;
    write.oncomplete = nothingMore;
    if (handle.writeLatin1String!(write, text) === 0) {
      // Until the kernel has taken everything the object is in use.
      if (handle.writeQueueSize === 0) spare = write;
      else write.oncomplete = (status) => status < 0 && socket.destroy(brokenPipe());
      return true;
    }
  }
  return false;
}

function nothingMore(): void {}

function brokenPipe(): Error {
  return Object.assign(new Error("the request could not be written"), { code: "EPIPE" });
}

/** Looks at what the stream gives to its handle, once. */
function learnFrom(handle: Handle | null | undefined): void {
  const usual = handle?.writeLatin1String;
  if (usual === undefined || handle?.writeQueueSize === undefined) return;
  handle.writeLatin1String = (first, text) => {
    delete handle.writeLatin1String;
    isLearnt = true;
    if (first.constructor.name === "WriteWrap") WriteOf = first.constructor as WriteClass;
    return usual.call(handle, first, text);
  };
}
