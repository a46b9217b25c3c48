/** Where the head of an HTTP message or a WARC record ends, behind its blank line; -1 when it does not. */
export function headEnd(bytes: Buffer): number {
  const strict = bytes.indexOf("\r\n\r\n", 0, "latin1");
  const loose = bytes.indexOf("\n\n", 0, "latin1");
  if (strict >= 0 && (loose < 0 || strict < loose)) return strict + 4;
  return loose < 0 ? -1 : loose + 2;
}

/** The head of an HTTP message through its blank line, one character per byte; everything where there is no blank line. */
export function headOf(block: Buffer): string {
  const end = headEnd(block);
  return block.toString("latin1", 0, end < 0 ? block.length : end);
}
