import {
  FolderTakenError,
  type OrbweaverError,
  StoreCorruptError,
  UsageError,
  WorkerDiedError,
} from "../../errors.ts";

/** Errors of which another worker would die as well: one in a user's module (`--handler`, `--priority`), state that contradicts itself, a folder that was lost. */
const INCURABLE = [UsageError, StoreCorruptError, FolderTakenError].map((Kind) => ({
  Kind,
  code: new Kind("").code,
}));

/** The error that no other worker could cure, if one died of it. */
export function incurableOf(error: unknown): OrbweaverError | undefined {
  const cause = error instanceof WorkerDiedError ? error.cause : undefined;
  if (!(cause instanceof Error) || !("code" in cause)) return undefined;
  const found = INCURABLE.find(({ code }) => code === cause.code);
  return found && new found.Kind(cause.message);
}
