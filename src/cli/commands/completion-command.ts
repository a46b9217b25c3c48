import { EXIT, UsageError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { completionScript, SHELLS, type Shell } from "./completion-script.ts";

/** `orbweaver completion`. */
export const command: Command = {
  name: "completion",
  usage: [`completion ${SHELLS.join("|")}`],
  about:
    "Prints a script that lets a shell complete commands, options and their values. It is made from the same lists as this help; print it again after an update.",
  options: [],
  examples: [
    ["orbweaver completion bash", "for `source <(orbweaver completion bash)` in ~/.bashrc"],
    ["orbweaver completion fish", "to be saved as ~/.config/fish/completions/orbweaver.fish"],
  ],
  async run({ words }, io, commands) {
    const shell = SHELLS.find((one) => one === words[0]);
    if (shell === undefined || words.length > 1)
      throw new UsageError(`completion takes one of ${SHELLS.join(", ")}`);
    const all = Object.values(commands).map(
      async ({ summary, load }) => [(await load()).command, summary] as const,
    );
    io.stdout.write(completionScript(shell as Shell, await Promise.all(all)));
    return EXIT.finished;
  },
};
