import type { OptionSpec } from "../../config/option.ts";
import type { Command } from "../command.ts";

/** Shells that a script can be written for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** One of the shells. */
export type Shell = (typeof SHELLS)[number];

/** A command with what a shell offers for it. */
interface Offer {
  readonly command: Command;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
}

/** What may follow an option: words to choose from, a file, a folder, or something only the user knows. */
type Value = readonly string[] | "file" | "folder" | "other";

/** The script that completes commands, options and values, for one shell. */
export function completionScript(
  shell: Shell,
  commands: readonly (readonly [command: Command, summary: string])[],
): string {
  const offers = commands.map(([command, summary]) => ({
    command,
    summary,
    // Refused: `resume` names them to explain why.
    options: command.options.filter((o) => o.flag !== "" && o.group !== "What a crawl keeps"),
  }));
  return { bash, zsh, fish }[shell](offers);
}

/** What follows an option, by its placeholder. */
function argumentOf({ value }: OptionSpec): Value {
  if (value === undefined) return "other";
  if (/^(FILE|PATH)/.test(value)) return "file";
  if (/^(DIR|FOLDER)$/.test(value)) return "folder";
  const words = value.split("|").filter((word) => /^[a-z][a-z0-9,/-]*$/.test(word));
  return words.length > 1 ? words : "other";
}

/** Flags as they are typed; a switch that is on by default is offered as it is turned off. */
function typed(option: OptionSpec): string {
  return option.negated ? `--no-${option.flag}` : `--${option.flag}`;
}

const names = (offers: readonly Offer[]) => offers.map(({ command }) => command.name).join(" ");

function bash(offers: readonly Offer[]): string {
  const cases = offers.map(({ command, options }) => {
    const flags = [...options.map(typed), "--help"].join(" ");
    return `    ${command.name}) flags="${flags}" ;;`;
  });
  const values: string[] = [];
  for (const { command, options } of offers)
    for (const option of options) {
      const value = argumentOf(option);
      if (option.value === undefined) continue;
      const words = typeof value === "string" ? "" : value.join(" ");
      const answer =
        value === "file"
          ? `COMPREPLY=($(compgen -f -- "$word"))`
          : value === "folder"
            ? `COMPREPLY=($(compgen -d -- "$word"))`
            : `COMPREPLY=($(compgen -W "${words}" -- "$word"))`;
      // A port or number may follow, or nothing.
      if (option.bare === undefined)
        values.push(`    "${command.name} --${option.flag}") ${answer}; return ;;`);
    }
  return `# orbweaver completion bash: put this into ~/.bashrc, or into a file of /etc/bash_completion.d:
#   source <(orbweaver completion bash)
_orbweaver() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" flags=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names(offers)} help --help --version" -- "$word"))
    return
  fi
  if [ "$before" = "--help" ]; then
    COMPREPLY=($(compgen -W "all" -- "$word"))
    return
  fi
  case "$command $before" in
    "help help") COMPREPLY=($(compgen -W "${names(offers)} all" -- "$word")); return ;;
    "completion completion") COMPREPLY=($(compgen -W "${SHELLS.join(" ")}" -- "$word")); return ;;
${values.join("\n")}
  esac
  case "$command" in
${cases.join("\n")}
  esac
  if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _orbweaver orbweaver
`;
}

/** Text inside single quotes and a description of zsh. */
const zshText = (text: string) => text.replace(/[[\]:\\]/g, "\\$&").replaceAll("'", "'\\''");

function zsh(offers: readonly Offer[]): string {
  const summaries = offers.map(
    ({ command, summary }) => `    '${command.name}:${zshText(summary)}'`,
  );
  const cases = offers.map(({ command, options }) => {
    const specs = options.map((option) => {
      const value = argumentOf(option);
      const action =
        value === "file"
          ? ":file:_files"
          : value === "folder"
            ? ":folder:_files -/"
            : typeof value === "string"
              ? option.value === undefined
                ? ""
                : ":value: "
              : `:value:(${value.join(" ")})`;
      const optional = option.bare === undefined ? "" : ":";
      return `        '${option.repeatable ? "*" : ""}${typed(option)}[${zshText(option.about)}]${optional}${action}'`;
    });
    return `    ${command.name}) _arguments \\\n${[...specs, "        '--help[what it takes]:all:(all)'"].join(" \\\n")} \\\n        '*:file:${command.name === "completion" ? `(${SHELLS.join(" ")})` : "_files"}' ;;`;
  });
  return `#compdef orbweaver
# orbweaver completion zsh: put this into a file _orbweaver of your fpath, or into ~/.zshrc after compinit:
#   source <(orbweaver completion zsh)
_orbweaver() {
  local -a commands
  commands=(
${summaries.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join("\n")}
  esac
}
if [ "\${funcstack[1]}" = "_orbweaver" ]; then _orbweaver "$@"; else compdef _orbweaver orbweaver; fi
`;
}

const fishText = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;

function fish(offers: readonly Offer[]): string {
  const lines = offers.flatMap(({ command, summary, options }) => {
    const only = `-n '__fish_seen_subcommand_from ${command.name}'`;
    return [
      `complete -c orbweaver -n __fish_use_subcommand -f -a ${command.name} -d ${fishText(summary)}`,
      ...options.map((option) => {
        const value = argumentOf(option);
        const takes =
          option.value === undefined || option.bare !== undefined
            ? ""
            : value === "file"
              ? " -r -F"
              : value === "folder"
                ? " -x -a '(__fish_complete_directories)'"
                : ` -x${typeof value === "string" ? "" : ` -a '${value.join(" ")}'`}`;
        return `complete -c orbweaver ${only} -l ${typed(option).slice(2)}${takes} -d ${fishText(option.about)}`;
      }),
    ];
  });
  return `# orbweaver completion fish: save it as ~/.config/fish/completions/orbweaver.fish
${lines.join("\n")}
complete -c orbweaver -n '__fish_seen_subcommand_from completion' -f -a '${SHELLS.join(" ")}'
complete -c orbweaver -l help -d 'what a command takes'
`;
}
