import { patternRefusal } from "../../config/fields/field-values.ts";
import { loadSeedFile } from "../../config/seeds/seed-source.ts";
import { meaningOf } from "../../crawl/visit/error-codes.ts";
import { UsageError } from "../../errors.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { Scope, type ScopeKind } from "../../url/scope.ts";
import type { Arguments } from "../arguments.ts";
import type { Io } from "../io.ts";
import { listOf, textOf } from "../options.ts";
import { type Check, typedUrl } from "./answer.ts";
import { allowedValue } from "./check-options.ts";

const KINDS: readonly string[] = ["page", "prefix", "host", "domain", "any"];
const EXAMPLE = "orbweaver check scope https://www.example.org/a --seed https://example.org/";

/** `orbweaver check scope URL...`: which of the URLs a crawl from the seeds would follow. */
export const check: Check = {
  async *answers(words, args, io) {
    if (words.length === 0) throw new UsageError(`URL is missing; for example ${EXAMPLE}`);
    const scope = new Scope({
      kind: allowedValue(args, "scope", "host", (kind) => KINDS.includes(kind)) as ScopeKind,
      include: patternsOf(args, "include"),
      exclude: patternsOf(args, "exclude"),
    });
    for (const seed of await seedsOf(args, io)) scope.addSeed(seed);
    for (const word of words) {
      const url = typedUrl(word, `for example ${EXAMPLE}`, "URL ");
      const reason = scope.refusal(url);
      yield {
        json: { url, inScope: reason === undefined, ...(reason !== undefined && { reason }) },
        rows: [
          ["URL", url],
          ["in scope", reason === undefined ? "yes" : `no, ${reason}: ${meaningOf(reason)}`],
        ],
      };
    }
  },
};

async function seedsOf(args: Arguments, io: Io): Promise<CrawlUrl[]> {
  const typed = listOf(args, "seed").map((text) =>
    typedUrl(text, `for example ${EXAMPLE}`, "--seed "),
  );
  const file = textOf(args, "seeds");
  const list = file === undefined ? undefined : await loadSeedFile(file, false, io.stdin);
  const seeds = [...typed, ...(list?.seeds.map(({ url }) => url) ?? [])];
  if (seeds.length > 0) return seeds;
  throw new UsageError(
    `a scope starts from seeds; give --seed URL or --seeds FILE, for example ${EXAMPLE}`,
  );
}

function patternsOf(args: Arguments, flag: string): RegExp[] {
  return listOf(args, flag).map((text) => {
    const refusal = patternRefusal(text);
    if (refusal === undefined) return new RegExp(text);
    throw new UsageError(`--${flag} ${text}: ${refusal}; use a JavaScript regular expression`);
  });
}
