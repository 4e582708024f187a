/** `limbeck completion`: a script that lets the shell complete commands, options and values. */
import { input } from "limbeck-base/base/input";
import { defineCommand } from "../command-of.ts";

const SHELLS = ["bash", "fish", "powershell", "zsh"] as const;

export const completion = defineCommand({
  group: "shell",
  summary: "Print a completion script for your shell",
  description:
    "Load it now with the line for your shell. To keep it, put that line into ~/.bashrc, ~/.zshrc, ~/.config/fish/config.fish or the file $PROFILE of PowerShell.",
  input: { shell: input.choice("bash | fish | powershell | zsh", "The shell", SHELLS, { at: 0, required: true }) },
  subcommands: {
    bash: "Script for bash",
    fish: "Script for fish",
    powershell: "Script for PowerShell",
    zsh: "Script for zsh",
  },
  examples: [
    "source <(limbeck completion bash)",
    "source <(limbeck completion zsh)",
    "limbeck completion fish | source",
    "limbeck completion powershell | Out-String | Invoke-Expression",
  ],
  line: { shell: "bash, fish, powershell or zsh", script: "the script" },
  run: async ({ shell }, frame) => {
    const { completionScripts, completionTable } = await import("../completion/scripts.ts");
    const script = completionScripts[shell](await completionTable(frame.commands));
    frame.emit({ shell, script });
    if (!frame.json) frame.io.out(script);
  },
});
