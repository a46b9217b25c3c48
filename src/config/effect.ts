import { UsageError } from "../errors.ts";
import { type Origin, subjectOf } from "./complaint.ts";
import { type CrawlSettings, type SettingName, settings } from "./schema.ts";
import { isOwnSync } from "./values/technique-names.ts";

/** Settings that do something only together with others. */
interface Rule {
  readonly names: readonly SettingName[];
  /** Whether they do something. */
  readonly holds: (all: CrawlSettings) => boolean;
  /** What they need, and why. */
  readonly needs: string;
}

const isShared = ({ frontier }: CrawlSettings) => frontier === "shared";
const isEngine = ({ frontier }: CrawlSettings) => frontier === "engine";
const isOpic = ({ order }: CrawlSettings) => order === "opic";

const RULES: readonly Rule[] = [
  {
    names: ["sync", "visited", "frontierSize", "whenFull", "schedule"],
    holds: isShared,
    needs: "--frontier shared, the frontier that threads synchronise on",
  },
  {
    names: ["leftovers", "roundWaitMs"],
    holds: ({ schedule }) => schedule === "rounds",
    needs: "--schedule rounds, whose rounds it is about",
  },
  {
    names: ["whenFull", "sync", "frontierSize", "visited"],
    holds: ({ schedule }) => schedule !== "rounds",
    needs: "--schedule continuous: rounds deal their links out themselves",
  },
  {
    names: ["shards"],
    holds: (all) => !isShared(all) && !isEngine(all),
    needs: "--frontier sharded: others have no such parts",
  },
  {
    names: ["crawlName", "engineLeaseMs", "supersteps", "volatile"],
    holds: isEngine,
    needs: "--frontier engine",
  },
  {
    names: ["engineMemoryBytes"],
    holds: (all) => isEngine(all) && !isOpic(all),
    needs:
      "--frontier engine with --order bfs or dfs: with opic every page that waits must be found to be given its cash",
  },
  {
    names: ["maxBytes"],
    holds: (all) => !isEngine(all),
    needs: "another --frontier: the workers on an engine do not add up what they receive",
  },
  {
    names: ["order"],
    holds: (all) => !(isShared(all) && all.order === "dfs"),
    needs: "--frontier sharded: a shared frontier gives its oldest URLs first",
  },
  {
    names: ["sync"],
    holds: (all) => !isOwnSync(all.sync) || all.whenFull === "wait",
    needs: "--when-full wait: a lock of your own can only block",
  },
  {
    names: ["onEndTimeoutMs"],
    holds: ({ onEnd }) => onEnd !== undefined,
    needs: "--on-end, whose time it limits",
  },
  {
    names: ["listen"],
    holds: (all) => all.dashboard !== undefined,
    needs: "--dashboard, which listens there",
  },
  { names: ["priority"], holds: isOpic, needs: "--order opic, where pages have a priority" },
  {
    names: ["exchangeSize"],
    holds: (all) => isOpic(all) || all.supersteps,
    needs: "--order opic, where pages have cash to exchange, or --supersteps",
  },
  {
    names: ["recordKeys"],
    holds: isOpic,
    needs: "--order opic, where pages wait by their cash",
  },
  {
    names: ["strictSeeds"],
    holds: ({ seedsFile }) => seedsFile !== undefined,
    needs: "--seeds FILE, whose lines it is about",
  },
  {
    names: ["warcLevel", "rotateBytes", "rotatePages"],
    holds: ({ store }) => store.includes("warc"),
    needs: "--store warc or warc,tree, which write archive files",
  },
  {
    names: ["feeds", "forms", "relNofollow"],
    holds: ({ sitemaps }) => sitemaps !== "only",
    needs: "--sitemaps on or off: with only, no link of a page is followed",
  },
  {
    names: ["sitemaps"],
    holds: ({ scope, sitemaps }) => scope !== "page" || sitemaps === "off",
    needs: "another --scope: with page, nothing but the seeds is fetched",
  },
  {
    names: ["sitemaps"],
    holds: ({ robots, sitemaps }) => robots || sitemaps !== "on",
    needs:
      "robots.txt, which names them, and --no-robots never asks for it; use --sitemaps only or off",
  },
];

/**
 * Refuses what was given and would do nothing: whoever typed it expects something of it. Settings with their default
 * value count as well; switches that are off say nothing.
 */
export function requireEffect(
  all: CrawlSettings,
  given: Iterable<SettingName>,
  originOf: (name: SettingName) => Origin,
): void {
  for (const name of given) {
    if (all[name] === false) continue;
    const rule = RULES.find(({ names, holds }) => names.includes(name) && !holds(all));
    if (rule === undefined) continue;
    const subject = subjectOf(name, shown(name, all), originOf(name));
    throw new UsageError(`${subject} has no effect: it needs ${rule.needs}`);
  }
}

/** The value as it is written; a switch is its name alone. */
function shown(name: SettingName, all: CrawlSettings): string {
  const value = all[name];
  return value === true ? "" : settings.get(name)!.show(value as never);
}
