import { UsageError } from "../errors.ts";

/** Stand-in: starts the synthetic web, crawls it with CrawlSettings on an Io and gives the exit code. */
export async function runDemo(_settings: unknown, _io: unknown): Promise<number> {
  throw new UsageError("demo is not yet wired to the engine");
}
