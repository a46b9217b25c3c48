import { patternRefusal } from "../../config/fields/field-values.ts";
import { readSeed } from "../../config/seed-line.ts";
import { loadSeedFile } from "../../config/seed-source.ts";
import { EXIT, UsageError } from "../../errors.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { Scope, type ScopeKind } from "../../url/scope.ts";
import type { Arguments } from "../arguments.ts";
import type { Io } from "../io.ts";
import { printJson, printRows } from "./answer.ts";
import { listOf, textOf } from "./check-options.ts";
import { refusalText } from "./refusal-text.ts";

const KINDS: readonly string[] = ["page", "prefix", "host", "domain", "any"];
const EXAMPLE = "orbweaver check scope https://www.example.org/a --seed https://example.org/";

/** `orbweaver check scope URL...`: which of the URLs a crawl from the seeds would follow. */
export async function checkScope(
  words: readonly string[],
  args: Arguments,
  io: Io,
): Promise<number> {
  if (words.length === 0) throw new UsageError(`URL is missing; for example ${EXAMPLE}`);
  const scope = new Scope({
    kind: kindOf(args),
    include: patternsOf(args, "include"),
    exclude: patternsOf(args, "exclude"),
  });
  for (const seed of await seedsOf(args, io)) scope.addSeed(seed);
  for (const word of words) {
    const url = urlOf(word, "URL");
    const reason = scope.refusal(url);
    if (args.options.get("json") === true) {
      printJson(io, {
        url,
        inScope: reason === undefined,
        ...(reason !== undefined && { reason }),
      });
    } else {
      const why = reason === undefined ? "yes" : `no, ${reason}: ${refusalText(reason)}`;
      printRows(io, [
        ["URL", url],
        ["in scope", why],
      ]);
    }
  }
  return EXIT.finished;
}

async function seedsOf(args: Arguments, io: Io): Promise<CrawlUrl[]> {
  const typed = listOf(args, "seed").map((text) => urlOf(text, "--seed"));
  const file = textOf(args, "seeds");
  const list = file === undefined ? undefined : await loadSeedFile(file, false, io.stdin);
  const seeds = [...typed, ...(list?.seeds.map(({ url }) => url) ?? [])];
  if (seeds.length > 0) return seeds;
  throw new UsageError(
    `a scope starts from seeds; give --seed URL or --seeds FILE, for example ${EXAMPLE}`,
  );
}

function urlOf(text: string, what: string): CrawlUrl {
  const read = readSeed(text);
  if ("url" in read) return read.url;
  throw new UsageError(`${what} ${text}: ${read.reason}; for example ${EXAMPLE}`);
}

function kindOf(args: Arguments): ScopeKind {
  const kind = textOf(args, "scope") ?? "host";
  if (KINDS.includes(kind)) return kind as ScopeKind;
  throw new UsageError(
    `--scope ${kind} is not allowed; use one of ${KINDS.join(", ")}, for example --scope domain`,
  );
}

function patternsOf(args: Arguments, flag: string): RegExp[] {
  return listOf(args, flag).map((text) => {
    const refusal = patternRefusal(text);
    if (refusal === undefined) return new RegExp(text);
    throw new UsageError(`--${flag} ${text}: ${refusal}; use a JavaScript regular expression`);
  });
}
