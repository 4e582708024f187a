/**
 * Regular expressions that cannot run away: the parser. The usual syntax without what needs backtracking
 * (back-references, look-around); those are refused by name. `linear-match.ts` runs the result.
 */

/** Which UTF-16 units a position accepts. */
export interface UnitSet {
  readonly ascii: Uint8Array;
  /** Beyond ASCII, as ranges. */
  readonly ranges: readonly (readonly [number, number])[];
  readonly negated: boolean;
}

export type Assertion = "start" | "end" | "boundary" | "inside";

export type Node =
  | { readonly kind: "unit"; readonly set: UnitSet }
  | { readonly kind: "assert"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly items: readonly Node[] }
  | { readonly kind: "choice"; readonly options: readonly Node[] }
  | { readonly kind: "repeat"; readonly item: Node; readonly least: number; readonly most: number };

export interface PatternFlags {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
}

type Range = readonly [number, number];

const DIGIT: readonly Range[] = [[48, 57]];
const WORD: readonly Range[] = [...DIGIT, [65, 90], [95, 95], [97, 122]];
const SPACE: readonly Range[] = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x2028, 0x2029],
  [0xfeff, 0xfeff],
];
const LINE_ENDS: readonly Range[] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
const ESCAPED_SETS: Readonly<Record<string, readonly [readonly Range[], boolean]>> = {
  d: [DIGIT, false],
  D: [DIGIT, true],
  w: [WORD, false],
  W: [WORD, true],
  s: [SPACE, false],
  S: [SPACE, true],
};
const ESCAPED_UNITS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, "0": 0 };
const MOST_REPEATS = 1000;

export function unitSet(ranges: readonly Range[], negated: boolean): UnitSet {
  const ascii = new Uint8Array(128).fill(negated ? 1 : 0);
  for (const [from, to] of ranges)
    for (let unit = from; unit <= Math.min(to, 127); unit += 1) ascii[unit] = negated ? 0 : 1;
  return { ascii, ranges: ranges.filter(([, to]) => to > 127), negated };
}

export function parsePattern(source: string, flags: PatternFlags): Node {
  let at = 0;
  const fail = (what: string): never => {
    throw new SyntaxError(`${what} at position ${at} of the pattern ${JSON.stringify(source.slice(0, 200))}`);
  };
  const set = (ranges: readonly Range[], negated: boolean): Node => ({
    kind: "unit",
    set: unitSet(flags.ignoreCase ? bothCases(ranges) : ranges, negated),
  });
  const unit = (code: number): Node => set([[code, code]], false);

  function choice(depth: number): Node {
    if (depth > 100) fail("groups are nested too deeply");
    const options = [sequence(depth)];
    while (source[at] === "|") {
      at += 1;
      options.push(sequence(depth));
    }
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: "choice", options };
  }

  function sequence(depth: number): Node {
    const items: Node[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") items.push(repeated(atom(depth)));
    return { kind: "sequence", items };
  }

  function repeated(item: Node): Node {
    const [least, most] = quantifier() ?? [1, 1];
    if (least === 1 && most === 1) return item;
    // A lazy or possessive mark changes which match is found first; here the longest is always taken.
    if (source[at] === "?" || source[at] === "+") at += 1;
    if (source[at] === "*" || source[at] === "{") fail("two quantifiers follow each other");
    return { kind: "repeat", item, least, most };
  }

  function quantifier(): readonly [number, number] | undefined {
    const sign = source[at];
    const simple = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] } as const;
    if (sign === "*" || sign === "+" || sign === "?") {
      at += 1;
      return simple[sign];
    }
    const counted = sign === "{" ? /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(source.slice(at, at + 12)) : null;
    if (counted === null) return undefined;
    at += counted[0].length;
    const least = Number(counted[1]);
    const most = counted[2] === undefined ? least : counted[3] === "" ? Infinity : Number(counted[3]);
    if (most < least || least > MOST_REPEATS || (most > MOST_REPEATS && most !== Infinity)) {
      fail(`a repetition must count upwards and to at most ${MOST_REPEATS}`);
    }
    return [least, most];
  }

  function atom(depth: number): Node {
    const sign = source[at] ?? "";
    at += 1;
    if (sign === "(") return group(depth);
    if (sign === "[") return bracket();
    if (sign === ".") return flags.dotAll ? set([], true) : set(LINE_ENDS, true);
    if (sign === "^") return { kind: "assert", assertion: "start" };
    if (sign === "$") return { kind: "assert", assertion: "end" };
    if (sign === "*" || sign === "+" || sign === "?") return fail("a quantifier has nothing to repeat");
    if (sign !== "\\") return unit(sign.charCodeAt(0));
    const letter = source[at] ?? fail("the pattern ends in a backslash");
    if (letter === "b" || letter === "B") {
      at += 1;
      return { kind: "assert", assertion: letter === "b" ? "boundary" : "inside" };
    }
    const [ranges, negated] = escape();
    return set(ranges, negated);
  }

  function group(depth: number): Node {
    if (source.startsWith("?:", at)) at += 2;
    else if (/^\?<[A-Za-z]\w{0,60}>/.test(source.slice(at, at + 70))) at = source.indexOf(">", at) + 1;
    else if (source[at] === "?")
      fail("look-around and other special groups are not supported, because they need backtracking;");
    const inner = choice(depth + 1);
    if (source[at] !== ")") fail("a group is not closed");
    at += 1;
    return inner;
  }

  function escape(): readonly [readonly Range[], boolean] {
    const letter = source[at] ?? "";
    at += 1;
    const known = ESCAPED_SETS[letter];
    if (known !== undefined) return known;
    const code = ESCAPED_UNITS[letter];
    if (code !== undefined) return [[[code, code]], false];
    const hex = letter === "x" ? /^[\da-f]{2}/i : letter === "u" ? /^[\da-f]{4}/i : undefined;
    const digits = hex?.exec(source.slice(at, at + 4))?.[0];
    if (digits !== undefined) {
      at += digits.length;
      const value = Number.parseInt(digits, 16);
      return [[[value, value]], false];
    }
    if (/[1-9k]/.test(letter)) fail("back-references are not supported, because they need backtracking;");
    if (/[A-Za-z]/.test(letter)) fail(`the escape \\${letter} is not supported`);
    return [[[letter.charCodeAt(0), letter.charCodeAt(0)]], false];
  }

  function bracket(): Node {
    const negated = source[at] === "^";
    if (negated) at += 1;
    const ranges: Range[] = [];
    while (source[at] !== "]") {
      if (at >= source.length) fail("a set of characters is not closed");
      const from = bracketItem();
      const single = from.length === 1 && from[0]?.[0] === from[0]?.[1] ? from[0]?.[0] : undefined;
      if (single !== undefined && source[at] === "-" && source[at + 1] !== "]" && at + 1 < source.length) {
        at += 1;
        const to = bracketItem()[0]?.[1] ?? 0;
        if (to < single) fail("a range of characters runs backwards");
        ranges.push([single, to]);
      } else ranges.push(...from);
    }
    at += 1;
    return set(ranges, negated);
  }

  function bracketItem(): readonly Range[] {
    const code = source.charCodeAt(at);
    at += 1;
    if (code !== 92) return [[code, code]];
    if (source[at] === "b") {
      at += 1;
      return [[8, 8]];
    }
    const [ranges, negated] = escape();
    return negated ? complement(ranges) : ranges;
  }

  const whole = choice(0);
  if (at < source.length) fail("a group is closed that was not opened");
  return whole;
}

function complement(ranges: readonly Range[]): Range[] {
  const outside: Range[] = [];
  let next = 0;
  for (const [from, to] of [...ranges].sort(([left], [right]) => left - right)) {
    if (from > next) outside.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= 0xffff) outside.push([next, 0xffff]);
  return outside;
}

/** The letters of ASCII in both cases; other scripts are compared as they are. */
function bothCases(ranges: readonly Range[]): readonly Range[] {
  const more = ranges.flatMap(([from, to]): Range[] => [
    ...(from <= 90 && to >= 65 ? [[Math.max(from, 65) + 32, Math.min(to, 90) + 32] as const] : []),
    ...(from <= 122 && to >= 97 ? [[Math.max(from, 97) - 32, Math.min(to, 122) - 32] as const] : []),
  ]);
  return [...ranges, ...more];
}
