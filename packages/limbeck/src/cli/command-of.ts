/** Operations as commands: their inputs as options and arguments, read from the words of a person, and their events as JSON. */
import {
  checkRules,
  resolveInput,
  silentShow,
  type Context,
  type EventOf,
  type EventTable,
  type Facts,
  type Input,
  type InputSpec,
  type InputTable,
  type OperationInfo,
} from "limbeck-base/base/operation";
import { jsonOrText } from "limbeck-base/base/json";
import { unknownName } from "limbeck-base/base/registry";
import type { Command, Invocation, Words } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { optionsFor } from "./global-options.ts";
import { flagOf, optionsOf } from "./options-of.ts";
import { cleanLine, cleanLines } from "limbeck-base/base/clean-text";
import { nativesOf, needNatives } from "./natives.ts";
import { checkArity, parseCount, parseDuration, unknownOption, usageError } from "./parse.ts";

/** What a command's own function gets beside its input: the invocation, and the context of an operation. */
export type Frame<Event = never> = Invocation & Context<Event>;

type CommandInfo<Table extends InputTable, Events extends EventTable, Line extends Facts> = Omit<
  OperationInfo<Table, Events, Line, unknown, unknown>,
  "name" | "run"
> & {
  /** What the first argument may be. */
  readonly subcommands?: NonNullable<Command["subcommands"]>;
  readonly run: (input: Input<Table>, frame: Frame<EventOf<Events, Line>>) => Promise<number | void>;
};

/** Beside what an operation shows by itself: each of its events in the place of a JSON line, and what came of it. */
interface View<Result> {
  readonly event?: (event: never) => void;
  readonly result?: (result: Result) => void;
}

/** An operation of the library in the table of commands. `show` prints for people what --json prints as it is. */
export function commandOf<Table extends InputTable, Events extends EventTable, Line extends Facts, Shows, Result>(
  operation: OperationInfo<Table, Events, Line, Shows, Result>,
  show?: () => Promise<(frame: Frame<EventOf<Events, Line>>, input: Input<Table>) => Shows & View<Result>>,
  exit?: (result: Result) => number,
): Command {
  return defineCommand({
    ...operation,
    run: async (input, frame) => {
      const view = frame.json ? undefined : (await show?.())?.(frame, input);
      const result = await operation.run(input, {
        ...frame,
        emit: (view?.event ?? frame.emit) as typeof frame.emit,
        show: view ?? (silentShow as Shows),
        // The library speaks of names and texts as they are.
        note: (sentence) => cleanLines(sentence).forEach((line) => frame.note(line)),
        ask: (question) => frame.ask(cleanLines(question).join("\n")),
        progress: (options) => frame.progress({ ...options, label: cleanLine(options.label) }),
      });
      view?.result?.(result);
      return exit?.(result);
    },
  });
}

/** A command that is of use on a command line only: the same declaration, and `run` may print. */
export function defineCommand<
  const Table extends InputTable,
  const Events extends EventTable = {},
  const Line extends Facts = never,
>(info: CommandInfo<Table, Events, Line>): Command {
  const { group, summary, description, examples, sections, subcommands, input } = info;
  const places = Object.values<InputSpec>(input).filter(({ at }) => at !== undefined);
  const isEndless = places.some(({ at }) => at === "rest");
  return {
    group,
    summary,
    usage: info.usage ?? usageOf(input),
    ...(description === undefined ? {} : { description }),
    ...(sections === undefined ? {} : { sections }),
    ...(subcommands === undefined ? {} : { subcommands }),
    arity: [
      places.filter(({ required }) => required === true).length,
      isEndless ? Number.POSITIVE_INFINITY : places.length,
    ],
    options: optionsOf(input),
    examples,
    fields: fieldsOf(info.events ?? {}, info.line ?? {}, info.lineIs),
    says: { events: info.events ?? {}, line: info.line ?? {} },
    ...(mayNeed(info) ? { natives: (words: Words) => needsOf(info, words) } : {}),
    run: async (invocation) => {
      const frame = frameOf<EventOf<Events, Line>>(invocation, input);
      checkRules(info.rules ?? [], frame.given, (name) => `--${flagOf(name, input[name] as InputSpec)}`);
      return (await info.run(readInput(input, invocation), frame)) ?? EXIT.done;
    },
  };
}

function usageOf(input: InputTable): string {
  const words = Object.entries(input).flatMap(([name, { at, required, value = "VALUE", ...spec }]) => {
    if (at === undefined) return required === true ? [`--${flagOf(name, spec)} ${value}`] : [];
    const word = at === "rest" ? `${value}…` : value;
    return [required === true ? word : `[${word}]`];
  });
  const others = Object.values(input).some(({ at, required }) => at === undefined && required !== true);
  return [...words, ...(others ? ["[options]"] : [])].join(" ");
}

/** By event; a field that means the same in several events stands once. What comes with an option alone begins with it. */
export function fieldsOf(events: EventTable, line: Facts, lineIs?: string): Readonly<Record<string, string>> {
  const names = Object.keys(events);
  if (names.length === 0) return line;
  const plain = Object.keys(line).length === 0 ? "" : (lineIs ?? "last line");
  const all: EventTable = plain === "" ? events : { ...events, [plain]: line };
  const list = names.map((name) => [`"${name}"`, events[name]?.["event"]].filter(Boolean).join(" "));
  const meaningOf = (field: string): string => {
    const meanings = new Map<string, string[]>();
    for (const [name, { [field]: meaning }] of Object.entries(all)) {
      if (meaning !== undefined) meanings.set(meaning, [...(meanings.get(meaning) ?? []), name]);
    }
    return [...meanings]
      .map(([meaning, of]) => (meaning.startsWith("--") ? meaning : `${of.join(", ")}: ${meaning}`))
      .join("; ");
  };
  const fields = new Set(Object.values(all).flatMap((facts) => Object.keys(facts)));
  fields.delete("event");
  return {
    event: `${list.join(", ")}${plain === "" ? "" : `; the ${lineIs === undefined ? "last line has none and is the result" : `line of a ${lineIs} has none`}`}`,
    ...Object.fromEntries([...fields].map((field) => [field, meaningOf(field)])),
  };
}

type Needs = Pick<OperationInfo<InputTable, EventTable, Facts, unknown, unknown>, "input" | "natives">;

function mayNeed({ input, natives }: Needs): boolean {
  return natives !== undefined || Object.values(input).some((spec) => spec.kind === "part" && spec.part.natives);
}

function needsOf(info: Needs, words: Words) {
  const given = (name: string): string | undefined => {
    const spec = info.input[name];
    if (spec === undefined) return undefined;
    return typeof spec.at === "number" ? words.positionals[spec.at] : words.text(flagOf(name, spec));
  };
  const parts = Object.entries(info.input).flatMap(([name, spec]) => {
    const value = spec.kind === "part" ? given(name) : undefined;
    return value === undefined || spec.kind !== "part" ? [] : (spec.part.natives?.(value, words.io.cwd) ?? []);
  });
  return [...new Set(info.natives?.(given, parts, words.io.env) ?? parts)];
}

/** The invocation as the context of an operation. */
export function frameOf<Event>(invocation: Invocation, input: InputTable): Frame<Event> {
  const { io } = invocation;
  return {
    ...invocation,
    show: silentShow,
    emit: (event) => {
      if (invocation.json) invocation.printJson(event as object);
    },
    ask: io.ask,
    readInput: io.readInput,
    signal: io.signal,
    cwd: io.cwd,
    environment: io.env,
    store: invocation.storeRoot,
    now: io.now,
    given: (name) => wordsOf(input, name, invocation).length > 0,
    need: (names) => needNatives(names, invocation),
  };
}

/** The words that were given for an input. */
function wordsOf(table: InputTable, name: string, { positionals, texts }: Words): readonly string[] {
  const { at, ...spec } = table[name] as InputSpec;
  if (at === undefined) return texts(flagOf(name, spec));
  if (at !== "rest") return positionals.slice(at, at + 1);
  return positionals.slice(Object.values(table).filter((other) => typeof other.at === "number").length);
}

/** What a command line gives, by name, with defaults. */
export function readInput<Table extends InputTable>(table: Table, words: Words): Input<Table> {
  const given = Object.entries(table).flatMap(([name, spec]) => {
    const texts = wordsOf(table, name, words);
    return texts.length === 0 ? [] : [[name, readTexts(spec, texts, flagOf(name, spec))] as const];
  });
  return resolveInput(table, Object.fromEntries(given), "limbeck");
}

type Read = (spec: InputSpec, texts: readonly string[], flag: string) => unknown;

/** By kind; of the others the last text counts, as it is. */
const READERS: Readonly<Partial<Record<InputSpec["kind"], Read>>> = {
  flag: () => true,
  list: (_spec, texts) => texts,
  number: (spec, texts, flag) => readNumber(spec as InputSpec & { readonly kind: "number" }, texts.at(-1) ?? "", flag),
  time: (_spec, texts, flag) => parseDuration(texts.at(-1) ?? "", flag),
  settings: (_spec, texts, flag) => Object.fromEntries(pairsOf(texts, flag)),
  values: (spec, texts, flag) =>
    Object.fromEntries(pairsOf(texts, flag, spec.value).map(([name, value]) => [name, jsonOrText(value)])),
  amounts: (spec, texts, flag) =>
    Object.fromEntries(pairsOf(texts, flag).map(([kind, value]) => [kind, readAmount(spec, kind, value, flag)])),
};

function readTexts(spec: InputSpec, texts: readonly string[], flag: string): unknown {
  const reader = READERS[spec.kind];
  if (reader !== undefined) return reader(spec, texts, flag);
  const text = texts.at(-1);
  return spec.bare !== undefined && text === "true" ? spec.bare : text;
}

function readNumber(spec: InputSpec & { readonly kind: "number" }, text: string, flag: string): number {
  const { whole, least = 0, most = Number.MAX_VALUE } = spec;
  if (whole === true && most === Number.MAX_VALUE) return parseCount(text, flag, least);
  const value = Number(text);
  const fits = value >= least && value <= most && (whole !== true || Number.isSafeInteger(value));
  if (text.trim() !== "" && fits) return value;
  const allowed = most === Number.MAX_VALUE ? `of at least ${least}` : `from ${least} to ${most}`;
  throw usageError(`--${flag} must be a ${whole === true ? "whole " : ""}number ${allowed}; got "${text}".`);
}

function readAmount(spec: InputSpec, kind: string, text: string, flag: string): number {
  const { kinds = [], noun = "budget" } = spec as { readonly kinds?: readonly string[]; readonly noun?: string };
  if (!kinds.includes(kind)) throw unknownName(kind, kinds, noun);
  const amount = text.trim() === "" ? Number.NaN : Number(text);
  if (amount >= 0) return amount;
  throw usageError(`--${flag} ${kind}=${text}: the budget must be a number of at least 0.`);
}

function pairsOf(texts: readonly string[], flag: string, form = "NAME=VALUE"): (readonly [string, string])[] {
  return texts.map((text) => {
    const split = text.indexOf("=");
    if (split < 1) throw usageError(`--${flag} takes ${form}, not "${text}".`);
    return [text.slice(0, split), text.slice(split + 1)] as const;
  });
}

/** The words that stand for an input: the parser backwards. Parts that are objects have none. */
export function wordsFor(table: InputTable, given: Readonly<Record<string, unknown>>): string[] {
  const entries = Object.entries(table).flatMap(([name, spec]) =>
    given[name] === undefined ? [] : [{ spec, flag: `--${flagOf(name, spec)}`, value: given[name] }],
  );
  const flags = entries.filter(({ spec }) => spec.at === undefined);
  const places = entries.filter(({ spec }) => spec.at !== undefined);
  const order = (at: InputSpec["at"]): number => (typeof at === "number" ? at : Infinity);
  const behind = places.sort((one, other) => order(one.spec.at) - order(other.spec.at));
  const last = behind.flatMap(({ value }) => (Array.isArray(value) ? value : [value]).map(String));
  return [
    ...flags.flatMap(({ spec, flag, value }) => flagWords(spec, flag, value)),
    ...(last.some((word) => word.startsWith("-")) ? ["--"] : []),
    ...last,
  ];
}

function flagWords(spec: InputSpec, flag: string, value: unknown): string[] {
  if (spec.kind === "flag") return value === true ? [flag] : [];
  if (spec.bare === value) return [flag];
  const each = (text: string): string[] => (text.startsWith("-") ? [`${flag}=${text}`] : [flag, text]);
  if (Array.isArray(value)) return value.flatMap((one) => each(String(one)));
  if (spec.kind === "time") return each(`${String(value)}ms`);
  if (spec.kind !== "amounts" && spec.kind !== "values" && spec.kind !== "settings") return each(String(value));
  return Object.entries(value as object).flatMap(([name, one]) => each(`${name}=${valueText(spec.kind, one)}`));
}

/** A text that would be read as something else is quoted. */
function valueText(kind: string, value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return kind === "values" && typeof jsonOrText(value) !== "string" ? JSON.stringify(value) : value;
}

interface GroupHead extends Pick<Command, "group" | "summary" | "description" | "examples"> {
  /** Options of one sub-command alone that are named nowhere stand under its name, behind the first heading. */
  readonly sections?: Command["sections"];
  /** Default: the sub-commands. */
  readonly usage?: string;
  /** The sub-command where none is named. Default: one must be. */
  readonly otherwise?: string;
}

/** Sub-commands under one name: `limbeck skills list`. An option of another one is refused. */
export function commandGroup(
  name: string,
  members: Readonly<Record<string, Command>>,
  { otherwise, sections, ...head }: GroupHead,
): Command {
  const all = Object.values(members);
  const [only] = all;
  const names = Object.keys(members).join(" | ");
  const options = Object.fromEntries(all.flatMap((member) => Object.entries(member.options)));
  const memberOf = ({ positionals: [sub = otherwise ?? ""] }: Words): Command => members[sub] as Command;
  return {
    usage: [names, all.length === 1 ? only?.usage : Object.keys(options).length > 0 && "[options]"]
      .filter(Boolean)
      .join(" "),
    fields: fieldsTogether(all),
    ...head,
    ...(sections === undefined ? {} : { sections: sectionsWith(members, sections) }),
    arity: [otherwise === undefined ? 1 : 0, 1 + Math.max(...all.map(({ arity = [0, 0] }) => arity[1]))],
    options,
    subcommands: Object.fromEntries(Object.entries(members).map(([sub, { summary }]) => [sub, summary])),
    ...(all.some(({ natives }) => natives)
      ? { natives: (words: Words) => nativesOf(memberOf(words), behind(words)) }
      : {}),
    run: async (invocation) => {
      const member = memberOf(invocation);
      const full = `${name} ${invocation.positionals[0] ?? otherwise}`;
      const stray = Object.keys(options).find(
        (option) => !Object.hasOwn(optionsFor(member), option) && invocation.texts(option).length > 0,
      );
      if (stray !== undefined) throw unknownOption(`--${stray}`, member.options, full);
      checkArity(full, member, behind(invocation).positionals);
      return await member.run(behind(invocation));
    },
  };
}

function sectionsWith(members: Readonly<Record<string, Command>>, sections: NonNullable<Command["sections"]>) {
  const all = [
    ...Object.values(members).flatMap(({ options }) => Object.keys(options)),
    ...Object.values(sections).flat(),
  ];
  const isOwn = (option: string): boolean => all.filter((other) => other === option).length === 1;
  const own = Object.entries(members).map(([name, { options }]) => [name, Object.keys(options).filter(isOwn)] as const);
  const [first = [], ...others] = Object.entries(sections);
  return Object.fromEntries([first, ...own, ...others]) as typeof sections;
}

/** A field that means the same in several events stands once. */
function fieldsTogether(commands: readonly Command[]): Command["fields"] {
  const events: Record<string, Facts> = {};
  for (const [name, facts] of commands.flatMap(({ says }) => Object.entries(says?.events ?? {})))
    events[name] = { ...events[name], ...facts };
  return fieldsOf(events, Object.assign({}, ...commands.map(({ says }) => says?.line)));
}

function behind<Given extends Words>(words: Given): Given {
  return { ...words, positionals: words.positionals.slice(1) };
}
