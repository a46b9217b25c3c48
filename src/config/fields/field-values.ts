/** Why a name cannot be a file or folder, or undefined. */
export function notEmpty(text: string): string | undefined {
  if (text.trim() === "") return "it is empty";
  return text.includes("\0") ? "it contains a NUL character" : undefined;
}

/** Why a regular expression does not compile, or undefined. */
export function patternRefusal(text: string): string | undefined {
  try {
    new RegExp(text);
    return undefined;
  } catch (error) {
    // V8 writes "Invalid regular expression: /(/: Unterminated group"; only the last part is needed.
    const message = error instanceof Error ? error.message : String(error);
    return `it is not a valid regular expression: ${message.slice(message.lastIndexOf(": ") + 2)}`;
  }
}
