/**
 * What an exit code says of a run that nobody judges. Anything but 0 is a failure. 0 says that the program came to its end, which
 * most programs say whatever came of it: it is a success only where nothing speaks against it, and nothing is known otherwise.
 */
export interface ExitFacts {
  readonly exitCode: number;
  readonly command: string;
  readonly args: readonly string[];
  /** What it printed, and what it complained of. */
  readonly output: string;
  readonly complaint: string;
  /** It ended while a question of its own was open. */
  readonly isWaiting: boolean;
}

interface ExitOutcome {
  readonly success: boolean | null;
  /** Why nothing is known. */
  readonly why?: string;
}

const SHELL = /(?:^|[/\\])(?:a|ba|da|fi|k|z)?sh(?:\.exe)?$/;
/** What parts commands whose exit codes are lost: all but the last, or all but one of a pipe. */
const SEVERAL = /[|;\n]|(?<!&)&(?!&)/;
const NOTHING_WRONG = /\b(?:0|no|without|zero)\s+(?:errors?|exceptions?|fail(?:ed|ures?)?)\b/gi;
const WRONG =
  /\b(?:error|exception|traceback|failed|failure|fail|fatal|aborted|unable to|could(?: not|n't)|cannot|can't|gave up|giving up)\b|["'](?:success|ok|passed|solved)["']\s*:\s*false/i;

export function exitOutcome({ exitCode, command, args, output, complaint, isWaiting }: ExitFacts): ExitOutcome {
  if (exitCode !== 0) return { success: false };
  const unknown = (why: string): ExitOutcome => ({ success: null, why: `exit code 0, but ${why}` });
  if (isWaiting) return unknown("it ended before its last question was answered");
  const script = SHELL.test(command)
    ? args.find((word, at) => /^-\w*c\w*$/.test(args[at - 1] ?? "") && word !== "")
    : "";
  if (script !== undefined && SEVERAL.test(script) && !script.includes("pipefail"))
    return unknown("it is the shell's, of the last of several commands");
  const said = [output, complaint].map(lastLine).find((line) => WRONG.test(line.replaceAll(NOTHING_WRONG, "")));
  return said === undefined ? { success: true } : unknown(`its last words are ${JSON.stringify(said.slice(0, 120))}`);
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? "";
}
