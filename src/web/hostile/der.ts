/** One DER element: tag, length, content. */
export function der(tag: number, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = digits(body.length, 256);
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length, ...length]), body]);
}

/** The digits of a number in another base, highest first. */
function digits(number: number, base: number): number[] {
  const above = Math.floor(number / base);
  return [...(above > 0 ? digits(above, base) : []), number % base];
}

/** A SEQUENCE. */
export const sequence = (...content: Uint8Array[]): Buffer => der(0x30, ...content);
/** A SET. */
export const set = (...content: Uint8Array[]): Buffer => der(0x31, ...content);
/** A positive INTEGER below 2^31. */
export function integer(value: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(value, 1);
  let from = 0;
  while (from < 4 && bytes[from] === 0 && bytes[from + 1]! < 0x80) from++;
  return der(0x02, bytes.subarray(from));
}
/** A BIT STRING of whole bytes. */
export const bitString = (bytes: Uint8Array): Buffer => der(0x03, Buffer.from([0]), bytes);
/** An OCTET STRING. */
export const octets = (...content: Uint8Array[]): Buffer => der(0x04, ...content);
/** A UTF8String. */
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text));
/** TRUE. */
export const yes = Buffer.from([0x01, 0x01, 0xff]);

/** An OBJECT IDENTIFIER from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split(".").map(Number);
  // Every byte of a number but its last one has the highest bit set.
  const numbers = rest.map((number) =>
    digits(number, 128).map((digit, i, all) => (i + 1 < all.length ? digit | 0x80 : digit)),
  );
  return der(0x06, Buffer.from([first! * 40 + second!, ...numbers.flat()]));
}

/** A GeneralizedTime, to the second. */
export function time(date: Date): Buffer {
  const text = date.toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return der(0x18, Buffer.from(`${text}Z`));
}
