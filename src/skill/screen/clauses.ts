/** A text as clauses, with the places of the words that mean something; and questions about how close they stand. */
import { PLACE } from "./addresses.ts";
import { entriesAt, isUnspaced, kindsOfUnspaced, wordsWithin, type Kind } from "./lexicon.ts";

/** From a word to a word, both counted. */
export interface Mark {
  readonly at: number;
  readonly to: number;
}

export interface Clause {
  readonly words: readonly string[];
  /** In order. */
  of(kind: Kind): readonly Mark[];
  readonly addresses: readonly Mark[];
}

/** So many single letters in a row are a word that was spelt. */
const SPELT = 5;
/** A name of an argument ("mail=", {"mail":) is no verb. */
const WORD = new RegExp(String.raw`${PLACE}|[\p{L}\p{N}]+(?:'[\p{L}]+)?(?:=|" ?:)?`, "gu");

export function clausesOf(text: string): Clause[] {
  const found: Clause[] = [];
  for (const part of text.split(/[;!?\n。！？；]+|\.(?=\s|$)/u)) {
    const given = part.match(WORD) ?? [];
    if (given.length > 0) found.push(clauseOf(given));
  }
  return found;
}

function clauseOf(given: readonly string[]): Clause {
  const words: string[] = [];
  const names = new Set<number>();
  const unspaced = new Set<number>();
  const take = (run: string, spelt: boolean): void => {
    for (const word of wordsWithin(run, spelt)) {
      if (!spelt) unspaced.add(words.length);
      words.push(word);
    }
  };
  for (let at = 0; at < given.length; at += 1) {
    const run = runFrom(given, at, isUnspaced);
    const letters = runFrom(given, at, isLetter);
    if (run.count > 0) take(run.text, false);
    else if (letters.count >= SPELT) take(letters.text, true);
    else {
      const word = given[at] as string;
      if (/[=:]$/.test(word)) names.add(words.length);
      words.push(word.replace(/(?:=|" ?:)$/, ""));
      continue;
    }
    at += Math.max(run.count, letters.count >= SPELT ? letters.count : 0) - 1;
  }
  return marked(words, names, unspaced);
}

function runFrom(
  given: readonly string[],
  from: number,
  belongs: (word: string) => boolean,
): { readonly text: string; readonly count: number } {
  let to = from;
  while (to < given.length && belongs(given[to] as string)) to += 1;
  return { text: given.slice(from, to).join(""), count: to - from };
}

function isLetter(word: string): boolean {
  return word.length === 1 && word !== PLACE;
}

function marked(words: readonly string[], names: ReadonlySet<number>, unspaced: ReadonlySet<number>): Clause {
  const marks = new Map<Kind, Mark[]>();
  const addresses: Mark[] = [];
  const add = (kind: Kind, mark: Mark): void => {
    const known = marks.get(kind) ?? [];
    marks.set(kind, known);
    if (known.at(-1)?.at !== mark.at) known.push(mark);
  };
  for (const [at, word] of words.entries()) {
    if (word === PLACE) addresses.push({ at, to: at });
    else if (unspaced.has(at)) for (const kind of kindsOfUnspaced(word)) add(kind, { at, to: at });
    else if (!isThing(words, at)) {
      for (const { kind, to } of entriesAt(words, at)) if (!names.has(to)) add(kind, { at, to });
    }
  }
  return { words, of: (kind) => marks.get(kind) ?? [], addresses };
}

const OBJECT = /^(?:the|all|it|them|this|that|these|every|everything|an?|your|our|my|their|his|her|me|us|to)$/;

/** "Mail" and "email" are things more often than deeds: "by mail", "an email", "mail address". */
function isThing(words: readonly string[], at: number): boolean {
  if (!/^e?mails?$/.test(words[at] ?? "")) return false;
  const next = words[at + 1] ?? "";
  return (
    /^(?:by|via|per|an?|the|of|your|my|this|one|and|or)$/.test(words[at - 1] ?? "") ||
    !(next === PLACE || OBJECT.test(next))
  );
}

/** Those of `ones` that one of `others` follows with at most `gap` words between. */
export function followed(ones: readonly Mark[], others: readonly Mark[], gap: number): Mark[] {
  const found: Mark[] = [];
  let next = 0;
  for (const { at, to } of ones) {
    while (next < others.length && (others[next] as Mark).at <= to) next += 1;
    const other = others[next];
    if (other !== undefined && other.at - to - 1 <= gap) found.push({ at, to: other.to });
    // A later one may begin before an earlier one ends.
    if (next > 0) next -= 1;
  }
  return found;
}

/** The same in either order. */
export function beside(ones: readonly Mark[], others: readonly Mark[], gap: number): Mark[] {
  return [...followed(ones, others, gap), ...followed(others, ones, gap)];
}

/** Those that none of `before` stands right in front of, with at most `gap` words between. */
export function unless(marks: readonly Mark[], before: readonly Mark[], gap = 0): Mark[] {
  const ends = new Set(before.map(({ to }) => to));
  return marks.filter(
    ({ at }) => !Array.from({ length: gap + 1 }, (_, step) => at - 1 - step).some((to) => ends.has(to)),
  );
}

/** Those that one of `others` stands near to, on either side or within. */
export function around(marks: readonly Mark[], others: readonly Mark[], gap: number): Mark[] {
  const places = new Set(others.flatMap(({ at, to }) => [at, to]));
  return marks.filter(({ at, to }) => {
    for (let place = at - gap; place <= to + gap; place += 1) if (places.has(place)) return true;
    return false;
  });
}

export function quote({ words }: Clause, { at, to }: Mark): string {
  return words
    .slice(at, to + 1)
    .join(" ")
    .replaceAll(PLACE, "an address");
}
