import type { ByteStep } from "./decode-step.ts";

const LOOK_BYTES = 2;

/** Looks at the first two bytes of a stream, however they come, before it decides where all of it goes. */
export class FirstBytes implements ByteStep {
  readonly #choose: (first: Buffer) => ByteStep;
  #first: Buffer = Buffer.alloc(0);
  #chosen: ByteStep | undefined;

  constructor(choose: (first: Buffer) => ByteStep) {
    this.#choose = choose;
  }

  get isBehind(): boolean {
    return this.#chosen?.isBehind === true;
  }

  whenReady(go: () => void): void {
    this.#chosen?.whenReady(go);
  }

  write(piece: Uint8Array): void {
    if (this.#chosen !== undefined) {
      this.#chosen.write(piece);
      return;
    }
    this.#first = Buffer.concat([this.#first, piece]);
    if (this.#first.length >= LOOK_BYTES) this.#decide();
  }

  end(): void {
    if (this.#chosen === undefined) this.#decide();
    this.#chosen?.end();
  }

  #decide(): void {
    const first = this.#first;
    this.#first = Buffer.alloc(0);
    this.#chosen = this.#choose(first);
    if (first.length > 0) this.#chosen.write(first);
  }
}
