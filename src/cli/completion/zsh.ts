/** The completion script for zsh: self-contained, with the summaries beside the names. */
import type { CompletionEntry, CompletionOption } from "./completion-table.ts";

export function zshCompletion(entries: readonly CompletionEntry[]): string {
  const commands = entries.map((entry) => `    ${quote(`${entry.name}:${entry.summary}`)}`).join("\n");
  return `#compdef limbeck
# limbeck completion for zsh. Add to ~/.zshrc:  source <(limbeck completion zsh)
_limbeck() {
  local -a commands
  commands=(
${commands}
  )
  local context state line
  typeset -A opt_args
  _arguments -C '--store[Folder of runs]:folder:_files -/' '(-h --help)'{-h,--help}'[Show help]' '--version[Show the version]' '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe -t commands command commands ;;
    argument)
      case $words[1] in
${entries.map(commandCase).join("\n")}
      esac ;;
  esac
}
compdef _limbeck limbeck
`;
}

function commandCase(entry: CompletionEntry): string {
  const options = entry.options.map((option) => quote(optionSpec(option))).join(" ");
  const rest =
    entry.subcommands.length === 0
      ? "'*:argument:_files'"
      : `${quote(`1:action:((${entry.subcommands.map(([name, summary]) => `${name}\\:"${summary}"`).join(" ")}))`)} '*:argument:_files'`;
  return `        ${entry.name}) _arguments ${options} ${rest} ;;`;
}

function optionSpec(option: CompletionOption): string {
  const spec = `${option.name}[${option.summary.replaceAll(/[[\]:]/g, " ")}]`;
  if (!option.takesValue) return spec;
  const values = option.choices.map((choice) => choice.replaceAll(" ", "\\ ")).join(" ");
  return `${spec}:value:${option.choices.length === 0 ? "_files" : `(${values})`}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
