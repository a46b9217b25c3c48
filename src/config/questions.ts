import { statSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { UsageError } from "../errors.ts";
import { canonicalize } from "../url/crawl-url.ts";
import { hostnameOf } from "../url/url-parts.ts";
import { shellQuote, toArguments } from "./command-line.ts";
import { checkSettings } from "./crawl-config.ts";
import { type SettingName, settings } from "./schema.ts";
import { isLoopbackHost } from "./values/network-values.ts";
import { TECHNIQUES } from "./values/technique-names.ts";

/** Settings by name, as typed. */
type Answers = Partial<Record<SettingName, unknown>>;

interface Question {
  readonly name: SettingName;
  readonly text: string;
  /** Asked only where it holds. */
  readonly when?: (answers: Answers) => boolean;
  /** An empty answer is not accepted. */
  readonly needed?: true;
}

const QUESTIONS: readonly Question[] = [
  {
    name: "contact",
    text: "Your e-mail address or web page, for the owners of the sites",
    when: (answers) => answers.contact === undefined && leavesThisMachine(answers),
    needed: true,
  },
  { name: "scope", text: "Follow links within (page, prefix, host, domain, any)" },
  { name: "threads", text: "Crawler threads" },
  {
    name: "frontier",
    text: "Frontier (sharded = each thread owns sites, durable; shared = one for all threads, to compare techniques)",
  },
  {
    name: "sync",
    text: `Technique that synchronises the frontier (${TECHNIQUES.join(", ")})`,
    when: ({ frontier }) => frontier === "shared",
  },
  {
    name: "order",
    text: "Order (bfs = near pages first, dfs = newest links first, opic = most linked first)",
    when: ({ frontier }) => frontier !== "shared",
  },
  { name: "maxPages", text: "Stop after how many pages (nothing = no limit)" },
  { name: "out", text: "Folder for the results" },
];

/**
 * Asks on a terminal for what `crawl` needs and checks each answer with the schema. Options that were given
 * are not asked again. The result holds them and the answers, as typed.
 */
export async function askQuestions(
  given: Answers,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<Answers> {
  // Not as a "terminal": its own line editing is enough, and it is never left in a special mode.
  const reader = createInterface({ input, terminal: false });
  const dialogue = new Dialogue(reader[Symbol.asyncIterator](), output);
  try {
    dialogue.print("Nothing to crawl was given. A few questions; Enter takes what is in brackets.");
    const answers: Answers = {
      ...given,
      ...(await dialogue.ask("URL or seed file", "", readStart)),
    };
    for (const { name, text, when, needed } of QUESTIONS) {
      if (given[name] !== undefined || when?.(answers) === false) continue;
      const usual = settings.get(name)!.defaultText ?? "";
      const check = (answer: string) => readAnswer(name, answer, needed);
      Object.assign(answers, await dialogue.ask(text, usual, check));
    }
    return answers;
  } finally {
    reader.close();
  }
}

/** The command that means the same as the answers. */
export function equivalentCommand(answers: Answers, configFile?: string): string {
  const checked: Answers = checkSettings(answers, FROM_FLAGS);
  const values = Object.fromEntries(
    Object.keys(answers).map((name) => [name, checked[name as SettingName]]),
  );
  const file = configFile === undefined ? [] : ["--config", configFile];
  return ["orbweaver", "crawl", ...toArguments(values), ...file].map(shellQuote).join(" ");
}

const FROM_FLAGS = () => ({ kind: "flag" }) as const;

class Dialogue {
  readonly #lines: AsyncIterator<string>;
  readonly #output: NodeJS.WritableStream;

  constructor(lines: AsyncIterator<string>, output: NodeJS.WritableStream) {
    this.#lines = lines;
    this.#output = output;
  }

  print(line: string): void {
    this.#output.write(`${line}\n`);
  }

  /** Asks until the answer is good; a string from `read` is the reason why it is not. */
  async ask(
    text: string,
    usual: string,
    read: (answer: string) => Answers | string,
  ): Promise<Answers> {
    for (;;) {
      this.#output.write(usual === "" ? `${text}: ` : `${text} [${usual}]: `);
      const line = await this.#lines.next();
      if (line.done === true) {
        this.#output.write("\n");
        throw new UsageError(`"${text}" was not answered; give a URL or --seeds FILE instead`);
      }
      const answers = read(line.value.trim());
      if (typeof answers !== "string") return answers;
      this.print(`  ${answers}`);
    }
  }
}

function readStart(answer: string): Answers | string {
  if (statSync(answer, { throwIfNoEntry: false })?.isFile()) return { seedsFile: answer };
  return readAnswer("seeds", answer, true);
}

function readAnswer(name: SettingName, answer: string, needed: true | undefined): Answers | string {
  if (answer === "") return needed ? "an answer is needed here" : {};
  const answers: Answers = { [name]: name === "seeds" ? answer.split(/\s+/) : answer };
  try {
    checkSettings(answers, FROM_FLAGS);
    return answers;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

// Of a seed file nothing is known yet, so the contact is asked for.
function leavesThisMachine({ seeds, seedsFile }: Answers): boolean {
  if (seedsFile !== undefined) return true;
  return (seeds as string[]).some((seed) => !isLoopbackHost(hostnameOf(canonicalize(seed)!)));
}
