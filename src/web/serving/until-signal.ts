/** The streams of a command, and the signal that ends it. */
export interface CommandIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly signal: AbortSignal;
}

/** What a command serves, and how it describes itself. */
export interface Served {
  /** The line of JSON that says what is served. */
  announcement(): object;
  /** The same for people, with a command to try. */
  explanation(): string;
  report(): unknown;
  close(): Promise<void>;
}

/** Prints what is served, waits for the signal, prints the report, and closes the web in any case. */
export async function serveUntilSignal(served: Served, io: CommandIo): Promise<void> {
  try {
    io.stdout.write(`${JSON.stringify(served.announcement())}\n`);
    io.stderr.write(served.explanation());
    if (!io.signal.aborted) {
      await new Promise((resolve) => io.signal.addEventListener("abort", resolve, { once: true }));
    }
    io.stdout.write(`${JSON.stringify({ report: served.report() })}\n`);
  } finally {
    await served.close();
  }
}
