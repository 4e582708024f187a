/** The completion script for fish: self-contained, one line for each command, option and action. */
import type { CompletionEntry, CompletionOption } from "./completion-table.ts";

export function fishCompletion(entries: readonly CompletionEntry[]): string {
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
${complete("__limbeck_count 0", "-l help -s h -d 'Show help'")}
${complete("__limbeck_count 0", "-l version -d 'Show the version'")}
${complete("__limbeck_count 0", "-l store -r -d 'Folder of runs'")}
${entries.flatMap(entryLines).join("\n")}
`;
}

function entryLines({ name, summary, subcommands, options }: CompletionEntry): string[] {
  const inside = `__limbeck_is ${name}`;
  return [
    complete("__limbeck_count 0", `-f -a ${name} -d ${quote(summary)}`),
    ...subcommands.map(([sub, does]) => complete(`${inside}; and __limbeck_count 1`, `-f -a ${sub} -d ${quote(does)}`)),
    ...options.map((option) => complete(inside, optionWords(option))),
  ];
}

function optionWords({ name, summary, takesValue, choices }: CompletionOption): string {
  const long = `-l ${name.slice(2)} -d ${quote(summary)}`;
  if (!takesValue) return long;
  // What stands behind -a is split again, so a blank inside a value needs a backslash of its own.
  return choices.length === 0
    ? `${long} -r`
    : `${long} -x -a ${quote(choices.map((one) => one.replaceAll(" ", "\\ ")).join(" "))}`;
}

function complete(condition: string, words: string): string {
  return `complete -c limbeck -n ${quote(condition)} ${words}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
