/** Who waits for which word of a worker; a word nobody waits for is dropped. */
export class AwaitedMessages<Message> {
  readonly #waiting = new Map<string, (message: Message) => void>();

  /** Settles with the next message of that name. */
  next(name: string): Promise<Message> {
    return new Promise((resolve) => this.#waiting.set(name, resolve));
  }

  heard(name: string, message: Message): void {
    this.#waiting.get(name)?.(message);
    this.#waiting.delete(name);
  }
}
