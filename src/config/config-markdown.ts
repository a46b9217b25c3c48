import { OPTION_GROUPS, usageOf } from "./option.ts";
import { type SettingName, settings } from "./schema.ts";

/** docs/config.md: every setting with its names, meaning, allowed values, default and examples. */
export function configMarkdown(): string {
  const parts = [INTRODUCTION];
  for (const group of OPTION_GROUPS) {
    const names = [...settings.keys()].filter((name) => settings.get(name)!.group === group);
    if (names.length > 0) parts.push(`## ${group}\n`, ...names.map(entry));
  }
  return parts.join("\n");
}

const INTRODUCTION = `# Configuration

<!-- Generated from src/config/schema.ts by "node build/src/config/write-config-docs.js"; a test compares the two. -->

Settings come from four places; the first one that says something wins:

1. options of the command line,
2. a file, \`--config FILE\`, in JSON or YAML,
3. environment variables, where a setting names one,
4. the defaults below.

In a file a setting has its name (\`maxTimeMs: 600000\`) or the name of its option (\`max-time: 10m\`); under the
name of the option a value means what it means on the command line. A list is written as a list; a list on the
command line replaces the one in the file. Relative file names start from the current folder.

\`\`\`yaml
seeds:
  - https://example.org/
contact: you@example.org
max-time: 10m
exclude: ["[?&]print="]
\`\`\`

Durations: \`500ms\`, \`3s\`, \`10m\`, \`24h\`, \`7d\`, also \`1h30m\` and \`1.5h\`.
Sizes: \`kB\`, \`MB\`, \`GB\`, \`TB\` are powers of 1000; \`KiB\`, \`MiB\`, \`GiB\`, \`TiB\` are powers of 1024; a bare number is bytes.
\`orbweaver resume\` goes on with the settings that the crawl had. Options, or a file, replace them from then on: what was stored
stays as it is, and links that were left out stay out. The environment does not count then. Settings with a line "On resume"
belong to the crawl and cannot change; giving the same value again is no change.
An option given twice: the last one wins, unless it can be repeated. \`--no-…\` turns any switch off again.
`;

function entry(name: SettingName): string {
  const option = settings.get(name)!;
  const about = option.about.charAt(0).toUpperCase() + option.about.slice(1);
  const lines = [`### \`${name}\`\n`, `\`${usageOf(option)}\`\n`, `${about}.\n`];
  if (option.value !== undefined) lines.push(`- Allowed: ${option.allowed}.`);
  if (option.repeatable) lines.push("- Can be given several times.");
  lines.push(`- Default: ${option.defaultText ?? (option.value === undefined ? "off" : "none")}.`);
  if (option.fixed !== undefined) lines.push(`- On resume: cannot change: ${option.fixed}.`);
  if (option.environment) lines.push(`- Environment: \`${option.environment}\`.`);
  lines.push(`- Example: ${option.examples.map((example) => `\`${example}\``).join(", ")}\n`);
  return lines.join("\n");
}
