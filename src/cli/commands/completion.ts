/** `limbeck completion`: a script that lets the shell complete commands, options and values. */
import { commandGroup, defineCommand } from "../command-of.ts";

function completionFor(shell: "bash" | "fish" | "powershell" | "zsh", title: string = shell) {
  return defineCommand({
    group: "shell",
    summary: `Script for ${title}`,
    input: {},
    examples: [],
    line: { shell: "bash, fish, powershell or zsh", script: "the script" },
    run: async (_, frame) => {
      const { completionScripts, completionTable } = await import("../completion/scripts.ts");
      const script = completionScripts[shell](await completionTable(frame.commands));
      frame.emit({ shell, script });
      if (!frame.json) frame.io.out(script);
    },
  });
}

export const completion = commandGroup(
  "completion",
  {
    bash: completionFor("bash"),
    fish: completionFor("fish"),
    powershell: completionFor("powershell", "PowerShell"),
    zsh: completionFor("zsh"),
  },
  {
    group: "shell",
    summary: "Print a completion script for your shell",
    description:
      "Load it now with the line for your shell. To keep it, put that line into ~/.bashrc, ~/.zshrc, ~/.config/fish/config.fish or the file $PROFILE of PowerShell.",
    examples: [
      "source <(limbeck completion bash)",
      "source <(limbeck completion zsh)",
      "limbeck completion fish | source",
      "limbeck completion powershell | Out-String | Invoke-Expression",
    ],
  },
);
