/**
 * What several ways to success have in common. Each way is put into the words of its goal's shape: the egg of the goal is
 * {1} wherever it stands, the second cup that was met is cup#2. A step counts when most ways have it; where they have it
 * with other things ("take {1} from …"), it counts without them. Walks, which the next walk undoes, are means and left out.
 */
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Link } from "../library/library-skill.ts";
import { verbOf } from "../statistics/passing-verbs.ts";
import { command } from "../statistics/wording.ts";
import { escapeForPattern } from "./goal-shapes.ts";
import { isFunctionWord, tokensOf } from "./words.ts";

/** A way to success of one task, with what stood in the places of its goal. */
export interface Way {
  readonly task: string;
  readonly values: readonly string[];
  readonly moves: readonly {
    readonly trajectory: Trajectory;
    readonly step: { readonly index: number; readonly action: string };
  }[];
  /** Verbs whose effect passes. */
  readonly passing: ReadonlySet<string>;
}

export interface Pattern {
  /** Tokens; "*" stands for anything, "#2" for the second of its kind. */
  readonly tokens: readonly string[];
  /** A call of a tool that all have alike, to the letter; commands bear no other spacing. */
  readonly text?: string;
  /** In how many ways it stands. */
  readonly support: number;
  readonly links: readonly Link[];
}

export interface GeneraliseOptions {
  /** Share of the ways that must have a step. Default: 0.6. */
  readonly share?: number;
}

interface PlacedMove {
  readonly full: readonly string[];
  readonly loose: readonly string[];
  readonly text: string | undefined;
  readonly at: number;
  readonly link: Link;
}

/** The common steps in their usual order. */
export function generalise(ways: readonly Way[], { share = 0.6 }: GeneraliseOptions = {}): Pattern[] {
  const told = ways.map(placesOf);
  const least = Math.max(1, share * ways.length);
  const support = new Map<string, number>();
  for (const places of told) {
    const forms = new Set(places.flatMap(({ full, loose }) => [full.join(" "), loose.join(" ")]));
    for (const form of forms) support.set(form, (support.get(form) ?? 0) + 1);
  }
  const found = new Map<string, Common>();
  for (const places of told) {
    for (const { full, loose, text, at, link } of places) {
      const tokens = [full, loose].find((form) => (support.get(form.join(" ")) ?? 0) >= least && saysSomething(form));
      if (tokens === undefined) continue;
      const exact = tokens === full && text !== undefined ? { text } : {};
      const known = found.get(tokens.join(" ")) ?? { tokens, ...exact, links: [], positions: [] };
      found.set(tokens.join(" "), known);
      known.links.push(link);
      known.positions.push(at);
    }
  }
  return [...found.values()]
    .map(({ positions, ...common }) => ({
      ...common,
      support: support.get(common.tokens.join(" ")) ?? 0,
      position: positions.reduce((sum, at) => sum + at, 0) / positions.length,
    }))
    .sort((one, other) => one.position - other.position)
    .map(({ tokens, text, links, support: held }) => ({
      tokens,
      ...(text === undefined ? {} : { text }),
      links,
      support: held,
    }));
}

interface Common {
  readonly tokens: readonly string[];
  readonly text?: string;
  readonly links: Link[];
  readonly positions: number[];
}

function placesOf({ moves, values, passing }: Way): PlacedMove[] {
  const lasting = moves.filter(({ step }) => !passing.has(verbOf(step.action)));
  const met = new Map<string, string[]>();
  return lasting.map(({ trajectory, step }, at) => {
    const full = abstractTokens(step.action, values, met);
    return {
      full,
      loose: loosen(full),
      text: isCall(step.action) ? withPlaces(step.action, values) : undefined,
      at: (at + 1) / (lasting.length + 1),
      link: { trajectory: trajectory.id, steps: [step.index] },
    };
  });
}

/** "tool name=value", as `recorded-moves.ts` writes calls. */
function isCall(action: string): boolean {
  return /^[\w.:-]+ \w+=/.test(action);
}

function withPlaces(text: string, values: readonly string[]): string {
  return values.reduce(
    (said, value, at) =>
      said.replaceAll(
        new RegExp(`(?<![\\p{L}\\p{N}_])${escapeForPattern(value)}(?![\\p{L}\\p{N}_])`, "giu"),
        `{${at + 1}}`,
      ),
    text,
  );
}

/** Names of files are made of words; the word of the goal among them is its place: "src/{1}.ts". */
function placeInside(token: string, values: readonly string[]): string {
  return token.includes("/") || token.includes(".") ? withPlaces(token, values) : token;
}

/** An action in the words of the shape; `met` remembers which number of a kind came first. */
export function abstractTokens(action: string, values: readonly string[], met = new Map<string, string[]>()): string[] {
  const tokens = tokensOf(command(action));
  return tokens.map((token, at) => {
    const named = at === 0 || tokens[at + 1] === "=";
    const place = named ? -1 : values.findIndex((value) => value.toLowerCase() === token.toLowerCase());
    if (place !== -1) return `{${place + 1}}`;
    const kind = tokens[at - 1];
    if (!/^\d+$/.test(token) || at < 2 || kind === undefined || !/^\p{L}+$/u.test(kind))
      return named ? token : placeInside(token, values);
    const seen = met.get(kind) ?? [];
    if (!seen.includes(token)) seen.push(token);
    met.set(kind, seen);
    return `#${seen.indexOf(token) + 1}`;
  });
}

/** Without what is neither of the goal nor of the action: other things, their numbers, and values of arguments. */
function loosen(tokens: readonly string[]): string[] {
  const loose: string[] = [];
  for (const [at, token] of tokens.entries()) {
    const kept = at === 0 || isPlace(token) || isFunctionWord(token.toLowerCase()) || isMark(token, tokens[at + 1]);
    const owned = token.startsWith("#") && isPlace(tokens[at - 1] ?? "");
    if (kept || owned) loose.push(token);
    else if (loose.at(-1) !== "*") loose.push("*");
  }
  return loose;
}

/** A mark, or the name of an argument. */
function isMark(token: string, next: string | undefined): boolean {
  return /^[^\p{L}\p{N}#*]$/u.test(token) || next === "=";
}

function isPlace(token: string): boolean {
  return /^\{\d+\}$/.test(token);
}

/** A verb alone, or a verb with anything, is no advice. Tool calls name their tool, which is. */
function saysSomething(tokens: readonly string[]): boolean {
  return tokens.length === 1
    ? false
    : tokens.slice(1).some((token) => token !== "*" && !isFunctionWord(token.toLowerCase()) && !/^[#=]/.test(token));
}

/** "take the {1}; heat the {1} with the microwave; move the {1} to the {2}" */
export function sayPatterns(patterns: readonly Pick<Pattern, "tokens" | "text">[]): string {
  const mentioned = new Set<string>();
  return patterns.map(({ tokens, text }) => text ?? sayTokens(tokens, mentioned)).join("; ");
}

function sayTokens(tokens: readonly string[], mentioned: Set<string>): string {
  const said: string[] = [];
  for (const [at, token] of tokens.entries()) {
    const number = tokens[at + 1];
    if (token.startsWith("#")) continue;
    if (number === undefined || !number.startsWith("#")) said.push(token);
    else if (number === "#1") said.push(`the ${token}`);
    else {
      const name = `${token}${number}`;
      said.push(mentioned.has(name) ? `the other ${token}` : `another ${token}`);
      mentioned.add(name);
    }
  }
  // "take the {1} from *": where from is for the reader to find out. An argument keeps its place: "reason=…".
  while (
    (said.at(-1) === "*" && said.at(-2) !== "=") ||
    (said.length > 1 && isFunctionWord(said.at(-1)?.toLowerCase() ?? ""))
  ) {
    said.pop();
  }
  return said
    .join(" ")
    .replaceAll(/ ?\* ?/g, " … ")
    .replaceAll(/ ?= ?/g, "=")
    .trim();
}
