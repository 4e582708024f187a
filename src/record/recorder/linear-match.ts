/**
 * Regular expressions that cannot run away: the matcher. All threads of the automaton advance together over the text
 * (K. Thompson, CACM 11(6), 1968), so time is at most text times pattern, whatever the pattern. Finding every match may
 * still look far ahead again and again; a budget of steps ends that, and the caller then drops the text.
 */
import { parsePattern, type Assertion, type Node, type UnitSet } from "./linear-parse.ts";

export interface LinearPattern {
  /** The leftmost match from a place on, and of those the longest; never an empty one. */
  find(text: string, from: number, budget: Budget): readonly [start: number, end: number] | undefined;
}

export interface Budget {
  steps: number;
}

export class BudgetSpent extends Error {}

const MOST_STATES = 5000;
const UNIT = 0;
const SPLIT = 1;
const ASSERT = 2;
const MATCH = 3;

interface Program {
  readonly operations: number[];
  readonly first: number[];
  readonly second: number[];
  readonly sets: (UnitSet | undefined)[];
  readonly assertions: (Assertion | undefined)[];
}

/** Throws a SyntaxError for what is not a pattern, or one that would need backtracking. */
export function compileLinear(source: string, flags = ""): LinearPattern {
  const unknown = /[^dgimsuy]/.exec(flags);
  if (unknown !== null) throw new SyntaxError(`the flag "${unknown[0]}" is not supported`);
  const tree = parsePattern(source, { ignoreCase: flags.includes("i"), dotAll: flags.includes("s") });
  return new Matcher(compile(tree), flags.includes("m"));
}

function compile(tree: Node): Program {
  const program: Program = { operations: [], first: [], second: [], sets: [], assertions: [] };
  const emit = (operation: number, set?: UnitSet, assertion?: Assertion): number => {
    if (program.operations.length >= MOST_STATES) {
      throw new SyntaxError(`the pattern is too large: its repetitions make more than ${MOST_STATES} states`);
    }
    program.sets.push(set);
    program.assertions.push(assertion);
    program.first.push(program.operations.length + 1);
    program.second.push(-1);
    return program.operations.push(operation) - 1;
  };
  const here = (): number => program.operations.length;
  const walk = (node: Node): void => {
    if (node.kind === "unit") emit(UNIT, node.set);
    else if (node.kind === "assert") emit(ASSERT, undefined, node.assertion);
    else if (node.kind === "sequence") node.items.forEach(walk);
    else if (node.kind === "choice") {
      const ends: number[] = [];
      node.options.forEach((option, index) => {
        const split = index < node.options.length - 1 ? emit(SPLIT) : -1;
        walk(option);
        if (split === -1) return;
        ends.push(emit(SPLIT));
        program.second[split] = here();
      });
      for (const end of ends) program.first[end] = here();
    } else repeat(node.item, node.least, node.most);
  };
  const repeat = (item: Node, least: number, most: number): void => {
    for (let count = 0; count < least; count += 1) walk(item);
    if (most === Infinity) {
      const split = emit(SPLIT);
      walk(item);
      program.first[emit(SPLIT)] = split;
      program.second[split] = here();
      return;
    }
    const splits: number[] = [];
    for (let count = least; count < most; count += 1) {
      splits.push(emit(SPLIT));
      walk(item);
    }
    for (const split of splits) program.second[split] = here();
  };
  walk(tree);
  emit(MATCH);
  return program;
}

class Matcher implements LinearPattern {
  readonly #program: Program;
  readonly #multiline: boolean;
  /** Units a match can begin with: everything else is skipped without starting a thread. */
  readonly #openings: { readonly ascii: Uint8Array; readonly beyond: boolean };
  readonly #mark: Int32Array;
  readonly #stack: number[] = [];
  #generation = 0;

  constructor(program: Program, multiline: boolean) {
    this.#program = program;
    this.#multiline = multiline;
    this.#mark = new Int32Array(program.operations.length).fill(-1);
    this.#openings = openingsOf(program);
  }

  find(text: string, from: number, budget: Budget): readonly [number, number] | undefined {
    let [states, starts]: [number[], number[]] = [[], []];
    let best: readonly [number, number] | undefined;
    const { ascii, beyond } = this.#openings;
    for (let at = from; at <= text.length; at += 1) {
      if (states.length === 0) {
        if (best !== undefined) return best;
        while (at < text.length) {
          const unit = text.charCodeAt(at);
          if (unit < 128 ? ascii[unit] === 1 : beyond) break;
          at += 1;
        }
      }
      // Threads stand in the order of their starts, so the first to reach a state has the leftmost one.
      if (best === undefined) {
        if (states.length === 0) this.#generation += 1;
        this.#follow(0, at, at, text, states, starts, budget);
      }
      if (at === text.length || states.length === 0) continue;
      const unit = text.charCodeAt(at);
      const [next, nextStarts]: [number[], number[]] = [[], []];
      this.#generation += 1;
      for (let index = 0; index < states.length; index += 1) {
        const start = starts[index] ?? 0;
        if (best !== undefined && start > best[0]) break;
        const state = states[index] ?? 0;
        budget.steps -= 1;
        if (!accepts(this.#program.sets[state], unit)) continue;
        const matched = this.#follow(state + 1, start, at + 1, text, next, nextStarts, budget);
        if (matched && (best === undefined || start <= best[0])) best = [start, at + 1];
      }
      if (budget.steps < 0) throw new BudgetSpent();
      [states, starts] = [next, nextStarts];
    }
    return best;
  }

  /** Adds what can be reached without reading; true when the end of the pattern is among it. */
  #follow(
    from: number,
    start: number,
    at: number,
    text: string,
    states: number[],
    starts: number[],
    budget: Budget,
  ): boolean {
    const { operations, first, second, assertions } = this.#program;
    let matched = false;
    this.#stack.push(from);
    while (this.#stack.length > 0) {
      const state = this.#stack.pop() ?? 0;
      if (this.#mark[state] === this.#generation) continue;
      this.#mark[state] = this.#generation;
      budget.steps -= 1;
      const operation = operations[state];
      if (operation === MATCH) matched = at > start;
      else if (operation === UNIT) {
        states.push(state);
        starts.push(start);
      } else if (operation !== ASSERT || this.#holds(assertions[state], text, at)) {
        const other = second[state] ?? -1;
        if (other !== -1) this.#stack.push(other);
        this.#stack.push(first[state] ?? 0);
      }
    }
    return matched;
  }

  #holds(assertion: Assertion | undefined, text: string, at: number): boolean {
    if (assertion === "start") return at === 0 || (this.#multiline && text[at - 1] === "\n");
    if (assertion === "end") return at === text.length || (this.#multiline && text[at] === "\n");
    const boundary = isWord(text.charCodeAt(at - 1)) !== isWord(text.charCodeAt(at));
    return assertion === "boundary" ? boundary : !boundary;
  }
}

function openingsOf({ operations, first, second, sets }: Program): { ascii: Uint8Array; beyond: boolean } {
  const ascii = new Uint8Array(128);
  let beyond = false;
  const seen = new Set<number>();
  const stack = [0];
  while (stack.length > 0) {
    const state = stack.pop() ?? 0;
    if (seen.has(state)) continue;
    seen.add(state);
    const set = sets[state];
    if (operations[state] === UNIT && set !== undefined) {
      for (let unit = 0; unit < 128; unit += 1) if (set.ascii[unit] === 1) ascii[unit] = 1;
      beyond ||= set.negated || set.ranges.length > 0;
    } else if (operations[state] !== MATCH) {
      stack.push(first[state] ?? 0);
      const other = second[state] ?? -1;
      if (other !== -1) stack.push(other);
    }
  }
  return { ascii, beyond };
}

function accepts(set: UnitSet | undefined, unit: number): boolean {
  if (set === undefined) return false;
  if (unit < 128) return set.ascii[unit] === 1;
  return set.ranges.some(([from, to]) => unit >= from && unit <= to) !== set.negated;
}

function isWord(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || unit === 95 || (unit >= 97 && unit <= 122);
}
