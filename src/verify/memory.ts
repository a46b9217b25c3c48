/** Hands out shared buffers; every thread asks for the same ones in the same order and so gets the same ones. */
export class Memory {
  readonly buffers: SharedArrayBuffer[];
  #next = 0;

  constructor(buffers: SharedArrayBuffer[] = []) {
    this.buffers = buffers;
  }

  /** Shared memory of that many bytes, zero at first. */
  buffer(bytes: number): SharedArrayBuffer {
    const at = this.#next++;
    this.buffers[at] ??= new SharedArrayBuffer(Math.ceil(bytes / 8) * 8);
    return this.buffers[at];
  }

  /** That many control words. */
  words(count: number): Int32Array {
    return new Int32Array(this.buffer(count * 4), 0, count);
  }

  /** Starts over: the next caller gets the first buffer again. */
  rewind(): void {
    this.#next = 0;
  }
}

/** Where each buffer lies in one image of all shared memory. */
export class Image {
  readonly #starts = new Map<ArrayBufferLike, number>();
  readonly bytes: number;

  constructor(buffers: readonly SharedArrayBuffer[]) {
    let at = 0;
    for (const buffer of buffers) {
      this.#starts.set(buffer, at);
      at += buffer.byteLength;
    }
    this.bytes = at;
  }

  /** First byte of a view in the image, or -1 when the view is not shared memory of the scenario. */
  startOf(view: ArrayBufferView): number {
    const start = this.#starts.get(view.buffer);
    return start === undefined ? -1 : start + view.byteOffset;
  }
}
