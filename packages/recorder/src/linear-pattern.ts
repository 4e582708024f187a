/**
 * Regular expressions that cannot run away: the matcher. All threads of the automaton advance together over the text
 * (K. Thompson, CACM 11(6), 1968), so time is at most text times pattern, whatever the pattern. Finding every match may
 * still look far ahead again and again; a budget of steps ends that, and the caller then drops the text.
 */

/**
 * Which UTF-16 units a position accepts. The language's own engine says it, of one unit alone, where nothing can be tried twice; letters
 * beyond ASCII are compared as they are.
 */
interface UnitSet {
  readonly ascii: Uint8Array;
  /** Whether any other unit may be accepted. */
  readonly beyond: boolean;
  readonly accepts: (unit: number) => boolean;
}

type Assertion = "start" | "end" | "boundary" | "inside";

type Node =
  | { readonly kind: "unit"; readonly set: UnitSet }
  | { readonly kind: "assert"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly items: readonly Node[] }
  | { readonly kind: "choice"; readonly options: readonly Node[] }
  | { readonly kind: "repeat"; readonly item: Node; readonly least: number; readonly most: number };

interface PatternFlags {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
}

const MOST_REPEATS = 1000;
const DEEPEST = 100;
const QUANTIFIERS: Readonly<Record<string, readonly [number, number]>> = {
  "*": [0, Infinity],
  "+": [1, Infinity],
  "?": [0, 1],
};
/** What may follow a backslash and stand for one unit or one set of them. */
const ESCAPE = /^(?:[dDwWsSnrtfv0]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^A-Za-z1-9])/s;

/** `atom`: a letter, an escape, a dot or a set in brackets, as it stands in a pattern. */
function unitSet(atom: string, { ignoreCase, dotAll }: PatternFlags): UnitSet {
  const flags = dotAll ? "s" : "";
  const exact = new RegExp(`^${atom}$`, flags);
  const either = ignoreCase ? new RegExp(`^${atom}$`, `${flags}i`) : exact;
  const known = new Map<number, boolean>();
  return {
    ascii: Uint8Array.from({ length: 128 }, (_, unit) => Number(either.test(String.fromCharCode(unit)))),
    beyond: /^(?:\.$|\[\^)|\\(?:[DWSs]|x[89a-fA-F]|u(?!00[0-7]))|[\u0080-\uffff]/.test(atom),
    accepts: (unit) => {
      const found = known.get(unit) ?? exact.test(String.fromCharCode(unit));
      known.set(unit, found);
      return found;
    },
  };
}

class Parser {
  readonly #source: string;
  readonly #flags: PatternFlags;
  #at = 0;

  constructor(source: string, flags: PatternFlags) {
    this.#source = source;
    this.#flags = flags;
  }

  whole(): Node {
    const node = this.#choice(0);
    return this.#at < this.#source.length ? this.#fail("a group is closed that was not opened") : node;
  }

  #fail(what: string): never {
    throw new SyntaxError(
      `${what} at position ${this.#at} of the pattern ${JSON.stringify(this.#source.slice(0, 200))}`,
    );
  }

  get #next(): string {
    return this.#source[this.#at] ?? "";
  }

  /** Passes over a letter where it stands here. */
  #takes(letter: string): boolean {
    if (this.#next !== letter) return false;
    this.#at += 1;
    return true;
  }

  #unit(atom: string): Node {
    return { kind: "unit", set: unitSet(atom, this.#flags) };
  }

  #choice(depth: number): Node {
    if (depth > DEEPEST) this.#fail("groups are nested too deeply");
    const options = [this.#sequence(depth)];
    while (this.#takes("|")) options.push(this.#sequence(depth));
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: "choice", options };
  }

  #sequence(depth: number): Node {
    const items: Node[] = [];
    while (!["", "|", ")"].includes(this.#next)) items.push(this.#repeated(this.#atom(depth)));
    return { kind: "sequence", items };
  }

  #repeated(item: Node): Node {
    const [least, most] = this.#quantifier();
    if (least === 1 && most === 1) return item;
    // A lazy or possessive mark changes which match is found first; here the longest is always taken.
    if (!this.#takes("?")) this.#takes("+");
    if (["*", "{"].includes(this.#next)) this.#fail("two quantifiers follow each other");
    return { kind: "repeat", item, least, most };
  }

  #quantifier(): readonly [number, number] {
    const simple = QUANTIFIERS[this.#next];
    if (simple !== undefined) {
      this.#at += 1;
      return simple;
    }
    const counted = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(this.#source.slice(this.#at, this.#at + 12));
    if (counted === null) return [1, 1];
    this.#at += counted[0].length;
    const least = Number(counted[1]);
    const most = counted[2] === undefined ? least : counted[3] === "" ? Infinity : Number(counted[3]);
    if (most < least || least > MOST_REPEATS || (most > MOST_REPEATS && most !== Infinity)) {
      this.#fail(`a repetition must count upwards and to at most ${MOST_REPEATS}`);
    }
    return [least, most];
  }

  #atom(depth: number): Node {
    const sign = this.#next;
    this.#at += 1;
    if (sign === "(") return this.#group(depth);
    if (sign === "[") return this.#bracket();
    if (sign === ".") return this.#unit(".");
    if (sign === "^") return { kind: "assert", assertion: "start" };
    if (sign === "$") return { kind: "assert", assertion: "end" };
    if (QUANTIFIERS[sign] !== undefined) return this.#fail("a quantifier has nothing to repeat");
    if (sign !== "\\") return this.#unit(/\w|\s/.test(sign) ? sign : `\\${sign}`);
    if (this.#next === "") this.#fail("the pattern ends in a backslash");
    if (this.#takes("b")) return { kind: "assert", assertion: "boundary" };
    return this.#takes("B") ? { kind: "assert", assertion: "inside" } : this.#unit(`\\${this.#escape()}`);
  }

  #group(depth: number): Node {
    const head = /^\?(?::|<[A-Za-z]\w{0,60}>)/.exec(this.#source.slice(this.#at, this.#at + 70))?.[0] ?? "";
    this.#at += head.length;
    if (head === "" && this.#next === "?")
      this.#fail("look-around and other special groups are not supported, because they need backtracking;");
    const inner = this.#choice(depth + 1);
    return this.#takes(")") ? inner : this.#fail("a group is not closed");
  }

  /** What stands behind a backslash. */
  #escape(): string {
    const letter = this.#next;
    const found = ESCAPE.exec(this.#source.slice(this.#at, this.#at + 5))?.[0] ?? "";
    this.#at += Math.max(1, found.length);
    if (found !== "" || letter === "") return found;
    if (/[1-9k]/.test(letter)) this.#fail("back-references are not supported, because they need backtracking;");
    return this.#fail(`the escape \\${letter} is not supported`);
  }

  #bracket(): Node {
    const start = this.#at - 1;
    this.#takes("^");
    while (!this.#takes("]")) {
      if (this.#next === "") this.#fail("a set of characters is not closed");
      const isEscape = this.#takes("\\");
      if (!isEscape) this.#at += 1;
      else if (!this.#takes("b")) this.#escape();
    }
    try {
      return this.#unit(this.#source.slice(start, this.#at));
    } catch {
      // Nothing else can be wrong with a set whose escapes are known.
      return this.#fail("a range of characters runs backwards");
    }
  }
}

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
  const tree = new Parser(source, { ignoreCase: flags.includes("i"), dotAll: flags.includes("s") }).whole();
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
      beyond ||= set.beyond;
    } else if (operations[state] !== MATCH) {
      stack.push(first[state] ?? 0);
      const other = second[state] ?? -1;
      if (other !== -1) stack.push(other);
    }
  }
  return { ascii, beyond };
}

function accepts(set: UnitSet | undefined, unit: number): boolean {
  return set !== undefined && (unit < 128 ? set.ascii[unit] === 1 : set.accepts(unit));
}

function isWord(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || unit === 95 || (unit >= 97 && unit <= 122);
}
