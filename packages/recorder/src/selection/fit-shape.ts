/**
 * Whether a goal is of a kind, and what stands in the places of that kind: "put a hot {1} in {2}." is a shape, and
 * "put a hot egg in desk." fits it with "egg" and "desk". A mark of the redaction is a place on either side: what was
 * learnt on "[redacted email]" fits a live goal with an address, and a goal that was redacted fits as one that was not.
 */

/** Goals of agents can be whole documents; what they ask for stands at the beginning. */
export const LONGEST_GOAL = 300;

/** More than a shape of that length has. */
const MOST_PLACES = 100;

/** What the redaction leaves in place of a secret: "[redacted email]", "[redacted pattern 2]". */
export const MARK = String.raw`\[redacted[^\]]{0,40}\]|<redacted[^>]{0,40}>`;
const MARKS = new RegExp(MARK, "giu");
/** An address in a shape stood in one goal: the redaction would have left a mark there. */
const ADDRESS = String.raw`[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,4}`;
const PLACE = new RegExp(String.raw`(\{\d+\}|${MARK}|${ADDRESS})`, "iu");
const PLACES = new RegExp(PLACE, "giu");

const LETTERS = String.raw`[\p{L}\p{M}\p{N}]{0,64}`;
const PLACES_IN_WORDS = new RegExp(`${LETTERS}${PLACE.source}${LETTERS}`, "giu");

/** A text without what stands for other words: numbered places, marks and addresses, with the letters that hang on them. */
export function withoutPlaces(text: string): string {
  return text.replaceAll(PLACES_IN_WORDS, " ");
}

/** What a goal has in the places of a shape. */
export interface Fit {
  /** By number: {1} is the first. */
  readonly values: readonly string[];
  /** What stands where the shape has a mark, by the mark; one that stands twice for different things is left out. */
  readonly marks: ReadonlyMap<string, string>;
}

/** The values of a goal in a shape; undefined where it does not fit. A place takes one word, or what stands in quotes. */
export function fitShape(shape: string, goal: string): readonly string[] | undefined {
  return shapeReader(shape)(goal);
}

/** The same for many goals. */
export function shapeReader(shape: string): (goal: string) => readonly string[] | undefined {
  const read = fitReader(shape);
  return (goal) => read(goal)?.values;
}

/**
 * The same with what stands in place of marks. Not as one expression: with many places, between which only a comma stands, a goal
 * that does not fit would be tried in more ways than there is time for. Here every place and position is tried once.
 */
export function fitReader(shape: string): (goal: string) => Fit | undefined {
  const parts = withoutStop(shape).split(PLACE);
  const places = parts.filter((_, at) => at % 2 === 1);
  const literals = parts
    .filter((_, at) => at % 2 === 0)
    .map((part) => new RegExp(escapeForPattern(part).replaceAll(/\s+/g, "\\s+"), "iuy"));
  if (places.length > MOST_PLACES) return () => undefined;
  const wide = places.map((place) => place.toLowerCase().startsWith("[redacted pattern"));
  return (goal) => {
    const words = placesIn(closedMarks(withoutStop(goal)), literals, wide)?.map((word) => word.replaceAll(JOINT, " "));
    return words === undefined ? undefined : gather(places, words);
  };
}

/** The same number twice must stand for the same word. */
function gather(places: readonly string[], words: readonly string[]): Fit | undefined {
  const values: string[] = [];
  const marks = new Map<string, string>();
  const unlike = new Set<string>();
  for (const [at, place] of places.entries()) {
    const word = words[at] ?? "";
    if (!place.startsWith("{")) {
      if ((marks.get(place) ?? word) !== word) unlike.add(place);
      marks.set(place, word);
      continue;
    }
    const number = Number(place.slice(1, -1)) - 1;
    if ((values[number] ?? word) !== word) return undefined;
    values[number] = word;
  }
  for (const place of unlike) marks.delete(place);
  return { values, marks };
}

/** Holds the words of a mark together while a goal is read; no goal of a person has it. */
const JOINT = "\u0001";

function closedMarks(goal: string): string {
  return goal.replaceAll(MARKS, (mark) => mark.replaceAll(" ", JOINT));
}

/** Its beginning, in one form of accents. Not everybody ends a request with a full stop. */
function withoutStop(text: string): string {
  return text
    .slice(0, 2 * LONGEST_GOAL)
    .normalize("NFC")
    .replace(/[\s.。]+$/u, "")
    .trimStart();
}

/** A shape of a long goal is only its beginning; so much of the goal must then be as the shape has it. */
const ENOUGH = 240;

/** What stands between the literals, the shortest words first; undefined where the text is another. */
function placesIn(text: string, literals: readonly RegExp[], wide: readonly boolean[]): string[] | undefined {
  const words: string[] = [];
  const gaps = gapsIn(text);
  // Between these ends a place was tried before, in vain: so no position is tried twice, and no stretch walked again.
  const tried = literals.map((): Range => ({ from: 0, to: -1 }));
  const read = (index: number, at: number): boolean => {
    const literal = literals[index] as RegExp;
    literal.lastIndex = at;
    const found = literal.exec(text);
    if (found === null) return false;
    const start = at + found[0].length;
    if (index === literals.length - 1) {
      return start === text.length || (text.length > LONGEST_GOAL && start >= ENOUGH);
    }
    const { from, to } = endsOf(text, start, gaps, wide[index] === true);
    if (to < from) return false;
    const before = tried[index] as Range;
    for (let end = from; end <= to; end += 1) {
      if (end >= before.from && end <= before.to) {
        end = before.to;
        continue;
      }
      // Not in the middle of a letter of two units, and not behind a space.
      if (isHighSurrogate(text.charCodeAt(end - 1)) || gaps[end - 1] === end - 1) continue;
      words[index] = text.slice(start, end);
      if (read(index + 1, end)) return true;
    }
    tried[index] = from <= before.to + 1 && to >= before.from - 1 ? joined(before, { from, to }) : { from, to };
    return false;
  };
  return read(0, 0) ? words.slice(0, literals.length - 1) : undefined;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function joined(one: Range, other: Range): Range {
  return { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) };
}

/** For each position the next space, itself included; the end of the text where there is none. */
function gapsIn(text: string): Int32Array {
  const gaps = new Int32Array(text.length + 1).fill(text.length);
  for (let at = text.length - 1; at >= 0; at -= 1) gaps[at] = /\s/.test(text[at] ?? "") ? at : (gaps[at + 1] ?? at);
  return gaps;
}

/** What a pattern of one's own took out may have been a few words; anything else is one. */
const WIDEST = 4;

/** From where to where a word may end that begins here; no end at all where a space stands there. */
function endsOf(text: string, start: number, gaps: Int32Array, wide: boolean): Range {
  const { from, to } = quotationAt(text, start);
  let last = gaps[Math.max(start, to)] ?? text.length;
  if (last === start) return { from: 1, to: 0 };
  for (let left = wide ? WIDEST - 1 : 0; left > 0 && last < text.length; left -= 1)
    last = gaps[last + 1] ?? text.length;
  return { from: Math.max(from, start + 1), to: last };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

const LONGEST_QUOTATION = 120;

/** What closes a quotation, by what opens it. */
export const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "„": "“”",
  "”": "”",
  "‘": "’",
  "‚": "‘",
  "«": "»",
  "»": "«",
  "‹": "›",
  "「": "」",
  "『": "』",
  "《": "》",
};

/**
 * A quotation that begins here is taken whole: a word ends behind it (`from`). A place that stands in one may hold several words, up to
 * where it closes (`to`).
 */
function quotationAt(text: string, start: number): { readonly from: number; readonly to: number } {
  const opened = QUOTES[text[start] ?? ""];
  // French sets a space inside of its quotes.
  const before = /\s/.test(text[start - 1] ?? "") ? /[«‹]/.exec(text[start - 2] ?? "")?.[0] : text[start - 1];
  const close = opened ?? QUOTES[before ?? ""];
  const last = close === undefined ? 0 : Math.min(text.length, start + LONGEST_QUOTATION);
  for (let at = start + 1; at < last; at += 1) {
    // An apostrophe inside of a word closes nothing.
    if (close?.includes(text[at] ?? "") !== true || (close === "'" && /[\p{L}\p{N}]/u.test(text[at + 1] ?? "")))
      continue;
    return { from: opened === undefined ? start : at + 1, to: at };
  }
  return { from: start, to: start };
}

/** A text as a regular expression that finds it. */
export function escapeForPattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Fills the places of a text; places without a value become "it". */
export function fillPlaces(text: string, values: readonly string[], marks: Fit["marks"] = new Map()): string {
  return text.replaceAll(PLACES, (place) =>
    place.startsWith("{") ? (values[Number(place.slice(1, -1)) - 1] ?? "it") : (marks.get(place) ?? place),
  );
}
