/** `limbeck completion`: a script that lets the shell complete commands, options and values. */
import type { Command } from "../command.ts";
import { bashCompletion } from "../completion/bash.ts";
import { completionTable } from "../completion/completion-table.ts";
import { zshCompletion } from "../completion/zsh.ts";
import { EXIT } from "../exit-code.ts";

export const completion: Command = {
  group: "shell",
  summary: "Print a completion script for your shell",
  usage: "bash | zsh",
  description: "Load it now with the first example; put that line into ~/.bashrc or ~/.zshrc to keep it.",
  arity: [1, 1],
  subcommands: { bash: "Script for bash", zsh: "Script for zsh" },
  options: {},
  examples: ["source <(limbeck completion bash)", "source <(limbeck completion zsh)"],
  jsonFields: { shell: "bash or zsh", script: "the script" },
  run: async (invocation) => {
    const shell = invocation.positionals[0] === "zsh" ? "zsh" : "bash";
    const table = await completionTable(invocation.commands);
    const script = shell === "zsh" ? zshCompletion(table) : bashCompletion(table);
    if (invocation.json) invocation.printJson({ shell, script });
    else invocation.io.out(script);
    return EXIT.done;
  },
};
