/** `limbeck completion`: a script that lets the shell complete commands, options and values. */
import { lookUp } from "../../base/registry.ts";
import type { Command } from "../command.ts";
import type { CompletionEntry } from "../completion/completion-table.ts";
import { EXIT } from "../exit-code.ts";

/** Each is loaded when it is asked for. */
const WRITERS: Readonly<Record<string, () => Promise<(entries: readonly CompletionEntry[]) => string>>> = {
  bash: async () => (await import("../completion/bash.ts")).bashCompletion,
  fish: async () => (await import("../completion/fish.ts")).fishCompletion,
  powershell: async () => (await import("../completion/powershell.ts")).powershellCompletion,
  zsh: async () => (await import("../completion/zsh.ts")).zshCompletion,
};

export const completion: Command = {
  group: "shell",
  summary: "Print a completion script for your shell",
  usage: "bash | fish | powershell | zsh",
  description:
    "Load it now with the line for your shell. To keep it, put that line into ~/.bashrc, ~/.zshrc, ~/.config/fish/config.fish or the file $PROFILE of PowerShell.",
  arity: [1, 1],
  subcommands: {
    bash: "Script for bash",
    fish: "Script for fish",
    powershell: "Script for PowerShell",
    zsh: "Script for zsh",
  },
  options: {},
  examples: [
    "source <(limbeck completion bash)",
    "source <(limbeck completion zsh)",
    "limbeck completion fish | source",
    "limbeck completion powershell | Out-String | Invoke-Expression",
  ],
  jsonFields: { shell: "bash, fish, powershell or zsh", script: "the script" },
  run: async (invocation) => {
    const [shell = ""] = invocation.positionals;
    const write = await lookUp(WRITERS, shell, "shell")();
    const { completionTable } = await import("../completion/completion-table.ts");
    const script = write(await completionTable(invocation.commands));
    if (invocation.json) invocation.printJson({ shell, script });
    else invocation.io.out(script);
    return EXIT.done;
  },
};
