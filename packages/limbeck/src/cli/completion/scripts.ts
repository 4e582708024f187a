/** Completion scripts: self-contained, so that pressing Tab starts no process. */
import type { CommandTable, Option } from "../command.ts";
import { optionsFor } from "../global-options.ts";

/** What a shell needs to know of a command. */
interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly subcommands: readonly (readonly [name: string, summary: string])[];
  readonly options: readonly CompletionOption[];
}

interface CompletionOption {
  readonly name: string;
  readonly summary: string;
  readonly takesValue: boolean;
  /** Known values; empty when anything, a file name for instance, may follow. */
  readonly choices: readonly string[];
}

export async function completionTable(commands: CommandTable): Promise<Entry[]> {
  const optionOf = async ([name, { summary, type, choices }]: [string, Option]): Promise<CompletionOption> => ({
    name: `--${name}`,
    summary,
    takesValue: type === "string",
    choices: (await choices?.()) ?? [],
  });
  return await Promise.all(
    Object.entries(commands).map(async ([name, command]) => ({
      name,
      summary: command.summary,
      subcommands: Object.entries(command.subcommands ?? {}),
      options: await Promise.all(Object.entries(optionsFor(command)).map(optionOf)),
    })),
  );
}

type Writer = (entries: readonly Entry[]) => string;

/** For bash and zsh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Lists of values are split again, so a blank inside a value needs a backslash of its own. */
function listed(choices: readonly string[], between = " "): string {
  return choices.map((choice) => choice.replaceAll(" ", "\\ ")).join(between);
}

const bash: Writer = (entries) => {
  const files = 'COMPREPLY=($(compgen -f -- "$current")); return 0';
  const values = entries.flatMap(({ name, options }) =>
    options.flatMap(({ name: option, takesValue, choices }) => {
      // One choice a line, so that a value with a blank stays one word.
      const known = `local IFS=$'\\n'; COMPREPLY=($(compgen -W ${quoted(listed(choices, "\n"))} -- "$current")); return 0`;
      return takesValue ? [`    ${quoted(`${name} ${option}`)}) ${choices.length === 0 ? files : known} ;;`] : [];
    }),
  );
  const commands = entries.map(({ name, options, subcommands }) => {
    const names = quoted(subcommands.map(([sub]) => sub).join(" "));
    const rest = subcommands.length === 0 ? "" : ` elif [ $arguments -eq 0 ]; then words=${names};`;
    const words = quoted(options.map((option) => option.name).join(" "));
    return `    ${name}) if [[ "$current" == -* ]]; then words=${words};${rest} fi ;;`;
  });
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
${values.join("\n")}
    " --store") ${files} ;;
  esac
  case "$command" in
    "") words=${quoted([...entries.map((entry) => entry.name), "--help", "--version"].join(" "))} ;;
${commands.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -eq 0 ] && case "$current" in -*) ;; *) COMPREPLY=($(compgen -f -- "$current")) ;; esac
  return 0
}
complete -o filenames -F _limbeck limbeck
`;
};

const zsh: Writer = (entries) => {
  const specOf = ({ name, summary, takesValue, choices }: CompletionOption): string => {
    const values = choices.length === 0 ? "_files" : `(${listed(choices)})`;
    return quoted(`${name}[${summary.replaceAll(/[[\]:]/g, " ")}]${takesValue ? `:value:${values}` : ""}`);
  };
  const commands = entries.map(({ name, options, subcommands }) => {
    const actions = subcommands.map(([sub, summary]) => `${sub}\\:"${summary}"`).join(" ");
    const first = subcommands.length === 0 ? "" : `${quoted(`1:action:((${actions}))`)} `;
    return `        ${name}) _arguments ${options.map(specOf).join(" ")} ${first}'*:argument:_files' ;;`;
  });
  return `#compdef limbeck
# limbeck completion for zsh. Add to ~/.zshrc:  source <(limbeck completion zsh)
_limbeck() {
  local -a commands
  commands=(
${entries.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join("\n")}
  )
  local context state line
  typeset -A opt_args
  _arguments -C '--store[Folder of runs]:folder:_files -/' '(-h --help)'{-h,--help}'[Show help]' '--version[Show the version]' '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe -t commands command commands ;;
    argument)
      case $words[1] in
${commands.join("\n")}
      esac ;;
  esac
}
compdef _limbeck limbeck
`;
};

const fish: Writer = (entries) => {
  const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const complete = (condition: string, words: string): string => `complete -c limbeck -n ${quote(condition)} ${words}`;
  const wordsOf = ({ name, summary, takesValue, choices }: CompletionOption): string => {
    const values = choices.length === 0 ? " -r" : ` -x -a ${quote(listed(choices))}`;
    return `-l ${name.slice(2)} -d ${quote(summary)}${takesValue ? values : ""}`;
  };
  const lines = entries.flatMap(({ name, summary, subcommands, options }) => [
    complete("__limbeck_count 0", `-f -a ${name} -d ${quote(summary)}`),
    ...subcommands.map(([sub, does]) =>
      complete(`__limbeck_is ${name}; and __limbeck_count 1`, `-f -a ${sub} -d ${quote(does)}`),
    ),
    ...options.map((option) => complete(`__limbeck_is ${name}`, wordsOf(option))),
  ]);
  return `# limbeck completion for fish. Keep it:  limbeck completion fish > ~/.config/fish/completions/limbeck.fish
function __limbeck_words
    set -l words (commandline -opc)
    set -e words[1]
    set -l skipped 0
    for word in $words
        if test $skipped -eq 1
            set skipped 0
            continue
        end
        switch $word
            case --store
                set skipped 1
            case '-*'
            case '*'
                echo $word
        end
    end
end
function __limbeck_is
    set -l words (__limbeck_words)
    test "$words[1]" = "$argv[1]"
end
function __limbeck_count
    test (count (__limbeck_words)) -eq $argv[1]
end
complete -c limbeck -n '__limbeck_count 0' -l help -s h -d 'Show help'
complete -c limbeck -n '__limbeck_count 0' -l version -d 'Show the version'
complete -c limbeck -n '__limbeck_count 0' -l store -r -d 'Folder of runs'
${lines.join("\n")}
`;
};

/** With the summaries as tooltips. */
const powershell: Writer = (entries) => {
  // PowerShell takes the quotes of print for plain ones.
  const quote = (text: string): string => `'${text.replaceAll(/['‘’‚‛]/g, "$&$&")}'`;
  const table = (rows: readonly (readonly [string, string])[]): string =>
    `[ordered]@{ ${rows.map(([name, text]) => `${quote(name)} = ${quote(text)}`).join("; ")} }`;
  const first = entries.map(({ name, summary }) => [name, summary] as const);
  const actions = entries.filter(({ subcommands }) => subcommands.length > 0);
  const namesOf = ({ options }: Entry) => options.map(({ name, summary }) => [name, summary] as const);
  const values = entries.flatMap(({ name, options }) =>
    options.flatMap(({ name: option, takesValue, choices }) =>
      takesValue ? [`    ${quote(`${name} ${option}`)} = @(${choices.map(quote).join(", ")})`] : [],
    ),
  );
  return `# limbeck completion for PowerShell. Add to $PROFILE:  limbeck completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName limbeck -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = ${table([...first, ["--help", "Show help"], ["--version", "Show the version"]])}
  $actions = @{
${actions.map(({ name, subcommands }) => `    ${quote(name)} = ${table(subcommands)}`).join("\n")}
  }
  $options = @{
${entries.map((entry) => `    ${quote(entry.name)} = ${table(namesOf(entry))}`).join("\n")}
  }
  # Options that take a value, with those that are known.
  $values = @{
    ' --store' = @()
${values.join("\n")}
  }
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
  if ($wordToComplete -ne '') { $typed = @($typed | Select-Object -SkipLast 1) }
  $command = ''
  $arguments = 0
  for ($at = 0; $at -lt $typed.Count; $at++) {
    if ($typed[$at] -eq '--store') { $at++ }
    elseif ($typed[$at] -like '-*') { }
    elseif ($command -eq '') { $command = $typed[$at] }
    else { $arguments++ }
  }
  $previous = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
  $found = [ordered]@{}
  if ($values.ContainsKey("$command $previous")) { foreach ($value in $values["$command $previous"]) { $found[$value] = $value } }
  elseif ($command -eq '') { $found = $commands }
  elseif ($wordToComplete -like '-*') { $found = $options[$command] }
  elseif ($arguments -eq 0) { $found = $actions[$command] }
  if ($null -eq $found) { return }
  $found.GetEnumerator() | Where-Object { $_.Key.StartsWith($wordToComplete) } | ForEach-Object {
    $text = if ($_.Key -match '\\s') { "'$($_.Key)'" } else { $_.Key }
    [System.Management.Automation.CompletionResult]::new($text, $_.Key, 'ParameterValue', $_.Value)
  }
}
`;
};

export const completionScripts = { bash, fish, powershell, zsh };
