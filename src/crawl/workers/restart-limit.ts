import { UsageError, WorkerDiedError } from "../../errors.ts";

/** A worker that dies this often without a page in between dies of something that starting it again does not cure. */
const MAX_DEATHS_WITHOUT_PAGE = 5;

const USAGE = new UsageError("").code;

/** Counts the deaths since the last page. */
export class RestartLimit {
  #deaths = 0;
  #pages = -1;

  /** One more worker died when this many pages were committed; true when it is time to give up. */
  isTooHigh(pages: number): boolean {
    this.#deaths = pages === this.#pages ? this.#deaths + 1 : 1;
    this.#pages = pages;
    return this.#deaths > MAX_DEATHS_WITHOUT_PAGE;
  }
}

/** What a worker died of, if that is what the user gave it (`--handler`, `--priority`): starting it again does not cure that. */
export function misuseOf(error: unknown): UsageError | undefined {
  const cause = error instanceof WorkerDiedError ? error.cause : undefined;
  const isMisuse = cause instanceof Error && "code" in cause && cause.code === USAGE;
  return isMisuse ? new UsageError(cause.message, cause) : undefined;
}

/** Starts a worker, and once more when it dies on its way: unless the crew goes home, or it does so too often. */
export async function startAgain<T>(start: () => Promise<T>, goesHome: () => boolean): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await start();
    } catch (error) {
      const died = error instanceof WorkerDiedError;
      // A thread left behind by a crew that goes home would keep the process alive.
      if (!died || goesHome() || tries === MAX_DEATHS_WITHOUT_PAGE) throw error;
    }
  }
}
