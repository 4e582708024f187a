/** The completion script for PowerShell, Windows' own and the newer one: self-contained, with the summaries as tooltips. */
import type { CompletionEntry } from "./completion-table.ts";

export function powershellCompletion(entries: readonly CompletionEntry[]): string {
  const first = [
    ...entries.map(({ name, summary }) => [name, summary] as const),
    ["--help", "Show help"],
    ["--version", "Show the version"],
  ] as const;
  const actions = entries.filter(({ subcommands }) => subcommands.length > 0);
  const values = entries.flatMap(({ name, options }) =>
    options.filter(({ takesValue }) => takesValue).map((option) => [`${name} ${option.name}`, option.choices] as const),
  );
  return `# limbeck completion for PowerShell. Add to $PROFILE:  limbeck completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName limbeck -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = ${table(first)}
  $actions = @{
${actions.map(({ name, subcommands }) => `    ${quote(name)} = ${table(subcommands)}`).join("\n")}
  }
  $options = @{
${entries.map(({ name, options }) => `    ${quote(name)} = ${table(options.map((option) => [option.name, option.summary]))}`).join("\n")}
  }
  # Options that take a value, with those that are known.
  $values = @{
    ' --store' = @()
${values.map(([option, choices]) => `    ${quote(option)} = @(${choices.map(quote).join(", ")})`).join("\n")}
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
}

function table(rows: readonly (readonly [string, string])[]): string {
  return `[ordered]@{ ${rows.map(([name, text]) => `${quote(name)} = ${quote(text)}`).join("; ")} }`;
}

/** PowerShell takes the quotes of print for plain ones. */
function quote(text: string): string {
  return `'${text.replaceAll(/['‘’‚‛]/g, "$&$&")}'`;
}
