/** The completion script for bash: self-contained, so that pressing Tab starts no process. */
import type { CompletionEntry } from "./completion-table.ts";

export function bashCompletion(entries: readonly CompletionEntry[]): string {
  return `# limbeck completion for bash. Add to ~/.bashrc:  source <(limbeck completion bash)
_limbeck() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="" command="" index words="" arguments=0
  [ "$COMP_CWORD" -gt 0 ] && previous="\${COMP_WORDS[COMP_CWORD-1]}"
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in
      --store) index=$((index + 1)) ;;
      -*) ;;
      *) if [ -z "$command" ]; then command="\${COMP_WORDS[index]}"; else arguments=$((arguments + 1)); fi ;;
    esac
  done
  COMPREPLY=()
  case "$command $previous" in
${valueCases(entries)}
  esac
  case "$command" in
    "") words=${quote([...entries.map((entry) => entry.name), "--help", "--version"].join(" "))} ;;
${entries.map(commandCase).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -eq 0 ] && case "$current" in -*) ;; *) COMPREPLY=($(compgen -f -- "$current")) ;; esac
  return 0
}
complete -o filenames -F _limbeck limbeck
`;
}

function commandCase(entry: CompletionEntry): string {
  const options = quote(entry.options.map((option) => option.name).join(" "));
  const names = quote(entry.subcommands.map(([name]) => name).join(" "));
  const rest = entry.subcommands.length === 0 ? "" : ` elif [ $arguments -eq 0 ]; then words=${names};`;
  return `    ${entry.name}) if [[ "$current" == -* ]]; then words=${options};${rest} fi ;;`;
}

function valueCases(entries: readonly CompletionEntry[]): string {
  const lines: string[] = [];
  const reply = (choices: readonly string[]): string => {
    if (choices.length === 0) return 'COMPREPLY=($(compgen -f -- "$current")); return 0';
    // One choice a line, so that a value with a blank stays one word.
    return `local IFS=$'\\n'; COMPREPLY=($(compgen -W ${quote(choices.map(word).join("\n"))} -- "$current")); return 0`;
  };
  for (const entry of entries) {
    for (const option of entry.options) {
      if (!option.takesValue) continue;
      lines.push(`    ${quote(`${entry.name} ${option.name}`)}) ${reply(option.choices)} ;;`);
    }
  }
  return [...lines, `    " --store") ${reply([])} ;;`].join("\n");
}

/** compgen -W splits its list again, so a blank inside a value needs a backslash of its own. */
function word(choice: string): string {
  return choice.replaceAll(" ", "\\ ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
