/** Appends to a buffer that is reused; the caller makes sure that there is room. */
export class ByteWriter {
  bytes: Buffer;
  at = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  /** Short ASCII text: for these a loop is cheaper than a call out of JavaScript. */
  ascii(text: string): void {
    const bytes = this.bytes;
    let at = this.at;
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
    this.at = at;
  }

  /** Longer text, or its first `length` characters. */
  latin1(text: string, length = text.length): void {
    this.at += this.bytes.write(text, this.at, length, "latin1");
  }

  copy(source: Uint8Array): void {
    this.bytes.set(source, this.at);
    this.at += source.length;
  }

  uint32(value: number): void {
    this.at = this.bytes.writeUInt32LE(value, this.at);
  }
}
