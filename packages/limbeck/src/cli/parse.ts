/** From words to a command and its options, with an answer that helps when a word is wrong. */
import { parseArgs } from "node:util";
import { parseDuration } from "limbeck-base/base/duration";
import { usageError, type EngineError } from "limbeck-base/base/errors";
import { listOf, unknownEntry, unknownName } from "limbeck-base/base/registry";
import type { Command, CommandTable, Option } from "./command.ts";
import { givesFile, partKind } from "./given-parts.ts";
import { globalOptions, optionsFor } from "./global-options.ts";

type Options = Readonly<Record<string, Option>>;

export interface Parsed {
  /** The command's name; undefined when none was given. */
  readonly name: string | undefined;
  readonly positionals: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
}

export { parseDuration, usageError };

/** Whether the words ask for JSON, before anything is checked, so that even a usage error can answer in kind. */
export function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end === -1 ? words : words.slice(0, end)).includes("--json");
}

export function parseWords(words: readonly string[], commands: CommandTable): Parsed {
  const first = scan(words, globalOptions);
  const place = first.positionals[0];
  if (place === undefined) return { name: undefined, ...collect(first.tokens, globalOptions) };
  const name = place.value;
  // "limbeck help sql" is what many type first.
  if (name === "help" && !Object.hasOwn(commands, name)) {
    return parseWords(["--help", ...words.slice(0, place.index), ...words.slice(place.index + 1)], commands);
  }
  if (!Object.hasOwn(commands, name)) {
    // An option of a command in front of its name makes its value look like the command.
    collect(
      first.tokens.filter((token) => token.index < place.index),
      globalOptions,
    );
    throw unknownName(name, Object.keys(commands), "command");
  }
  const command = commands[name] as Command;
  const options = optionsFor(command);
  const rest = [...words.slice(0, place.index), ...words.slice(place.index + 1)];
  return { name, ...collect(scan(withValues(rest, options), options).tokens, options, name) };
}

/** "--ask policy" as "--ask=policy", for flags that may have such a value. */
function withValues(words: readonly string[], options: Options): string[] {
  const joined: string[] = [];
  const end = words.indexOf("--");
  for (const [at, word] of words.entries()) {
    const before = joined.at(-1) ?? "";
    const name = before.startsWith("--") ? before.slice(2) : "";
    const takes = Object.hasOwn(options, name) ? options[name]?.mayTake : undefined;
    if (takes?.test(word) === true && (end === -1 || at < end)) joined[joined.length - 1] = `${before}=${word}`;
    else joined.push(word);
  }
  return joined;
}

type Token = ReturnType<typeof scan>["tokens"][number];

function scan(words: readonly string[], options: Options) {
  const { tokens } = parseArgs({
    args: [...words],
    // It reads their type and letter.
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const positionals = tokens.filter((token) => token.kind === "positional");
  return { tokens, positionals };
}

function collect(tokens: readonly Token[], options: Options, command?: string): Omit<Parsed, "name"> {
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined) throw unknownOption(token.rawName, options, command);
    const before = option.multiple === true ? (values.get(token.name) ?? []) : [];
    values.set(token.name, [...before, valueOf(token, option)]);
  }
  return { positionals, values };
}

function valueOf(token: Token & { readonly kind: "option" }, option: Option): string {
  if (option.type === "boolean") {
    if (token.value === undefined) return "true";
    if (option.mayTake?.test(token.value) === true) return token.value;
    const takes = option.mayTake === undefined ? "no value" : `${option.value ?? "no value"}, or nothing`;
    throw usageError(`${token.rawName} takes ${takes}; it was given "${token.value}".`);
  }
  const wanted = option.value ?? "VALUE";
  if (token.value === undefined) {
    throw usageError(`${token.rawName} needs a value: ${token.rawName} ${wanted}.`);
  }
  if (!token.inlineValue && token.value.length > 1 && token.value.startsWith("-")) {
    throw usageError(
      `${token.rawName} needs a value, but "${token.value}" looks like an option. If it is the value, write ${token.rawName}=${token.value}.`,
    );
  }
  return token.value;
}

export function unknownOption(rawName: string, options: Options, command: string | undefined): EngineError {
  const known = Object.keys(options).map((name) => `--${name}`);
  const where = command === undefined ? " before the command" : ` of "limbeck ${command}"`;
  return unknownEntry(
    `No option "${rawName}"${where}`,
    { kind: "option", name: rawName, known },
    `limbeck ${command === undefined ? "" : `${command} `}--help`,
  );
}

/** What the parser cannot know: how many arguments there may be, sub-commands, numbers, and values from a list. */
export async function checkWords(name: string, command: Command, parsed: Parsed): Promise<void> {
  const [first] = parsed.positionals;
  if (command.subcommands !== undefined && first !== undefined && !Object.hasOwn(command.subcommands, first)) {
    throw unknownName(first, Object.keys(command.subcommands), `sub-command of "limbeck ${name}"`);
  }
  checkArity(name, command, parsed.positionals);
  const given = [...parsed.values].map(([option, texts]) => ({ option, texts, ...command.options[option] }));
  for (const { option, texts, choices, value = "" } of given) {
    if (choices === undefined) for (const text of texts) checkNumber(text, option, value);
  }
  for (const { option, texts, choices } of given) {
    const known = await choices?.();
    const stray = known && texts.find((text) => !known.includes(text) && !givesFile(option, text));
    if (known === undefined || stray === undefined) continue;
    throw unknownName(stray, known, `value of --${option}`, listOf(partKind(name, option)));
  }
}

export function checkArity(name: string, { arity = [0, 0], usage }: Command, given: readonly string[]): void {
  const [least, most] = arity;
  const count = given.length;
  if (count >= least && count <= most) return;
  const line = `Usage: limbeck ${name} ${usage}`.trimEnd();
  const extra = count > most ? `takes ${most === 0 ? "no argument" : `at most ${most}`}; got ${count}` : "needs more";
  const quoted = count > most && most === 1 ? " Put an argument with blanks in quotes." : "";
  throw usageError(`"limbeck ${name}" ${extra}.${quoted} ${line}`, { arguments: given });
}

const WHOLE = ["K", "N", "RANK", "ROWS", "STEPS", "TASKS", "TOKENS"];
const NUMBERS = ["KL", "NUMBER", "P", "S", "SHARE", "T", "W", "X"];

/** What help calls a value says what it is. A word that is no number is refused here, before a command loads the engine. */
function checkNumber(text: string, option: string, value: string): void {
  if (value === "TIME") parseDuration(text, option);
  if (![...WHOLE, ...NUMBERS].includes(value)) return;
  const isWhole = WHOLE.includes(value);
  const number = text.trim() === "" ? Number.NaN : Number(isWhole ? withoutSeparators(text) : text);
  if (isWhole ? Number.isSafeInteger(number) : Number.isFinite(number)) return;
  throw usageError(`--${option} must be a ${isWhole ? "whole number" : "number"}; got "${text}".`);
}

function withoutSeparators(text: string): string {
  return text.replace(/[_,]/g, "");
}

/** A whole number of at least `least`, or a usage error that names the option. */
export function parseCount(text: string, option: string, least = 1): number {
  const value = Number(withoutSeparators(text));
  if (text.trim() !== "" && Number.isSafeInteger(value) && value >= least) return value;
  throw usageError(`--${option} must be a whole number of at least ${least}; got "${text}".`);
}
