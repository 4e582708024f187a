/** Which skills fit what is asked: a pure function of the words, so that the same question gets the same skills. */
import type { InjectedSkill } from "./skills.ts";

export interface SelectOptions {
  /** At most so many. Default: 3. */
  readonly k?: number;
  /** The least overlap, from 0 to 1, that counts as fitting. Default: 0.2. */
  readonly threshold?: number;
  /** Letters of all chosen texts together. Default: 4,000. A skill that does not fit is passed over, never cut. */
  readonly maxCharacters?: number;
}

/** A skill with its words cut out once: a library serves many questions. */
export interface PreparedSkill {
  readonly skill: InjectedSkill;
  readonly about: ReadonlySet<string>;
  readonly triggers?: ReadonlySet<string>;
}

export function prepareSkill(skill: InjectedSkill): PreparedSkill {
  const { text, when = {} } = skill;
  const about = wordsOf(when.goal ?? text);
  return { skill, about, ...(when.words === undefined ? {} : { triggers: wordsOf(when.words.join(" ")) }) };
}

/** Best first within a level, the whole task's before single decisions'; equals in the order of the library. */
export function selectSkills(
  skills: readonly PreparedSkill[],
  asked: string,
  options: SelectOptions = {},
): InjectedSkill[] {
  const { k = 3, threshold = 0.2, maxCharacters = 4000 } = options;
  const words = wordsOf(asked);
  const fitting = skills
    .map((prepared) => ({ skill: prepared.skill, score: scoreOf(prepared, words) }))
    .filter(({ score }) => score > 0 && score >= threshold)
    .sort((one, other) => other.score - one.score);
  const chosen: InjectedSkill[] = [];
  let left = maxCharacters;
  for (const { skill } of fitting) {
    if (chosen.length >= k) break;
    if (skill.text.length > left) continue;
    chosen.push(skill);
    left -= skill.text.length;
  }
  const isStep = ({ level }: InjectedSkill): number => (level === "step" ? 1 : 0);
  return chosen.sort((one, other) => isStep(one) - isStep(other));
}

/** A skill that names words fits by them or not at all; what it is about may then fit better still. */
function scoreOf({ about, triggers }: PreparedSkill, asked: ReadonlySet<string>): number {
  if (triggers === undefined) return overlap(about, asked);
  const triggered = overlap(triggers, asked);
  return triggered === 0 ? 0 : Math.max(triggered, overlap(about, asked));
}

/** Shared words over the words of the smaller side: a short question and a long skill can still fit wholly. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const smaller = Math.min(one.size, other.size);
  if (smaller === 0) return 0;
  let shared = 0;
  for (const word of one) if (other.has(word)) shared += 1;
  return shared / smaller;
}

/** Beyond this a text is a document, and its beginning says what it is about. */
const LONGEST_COMPARED = 4000;

/** They stand in every English text and say nothing about what it is about. */
const EMPTY_WORDS = new Set(
  (
    "a an and any are as at be been but by can do does for from had has have how i if in into is it its may me my no " +
    "not of on or our please should so some than that the their them then there these they this to us was we were " +
    "what when where which who why will with would you your"
  ).split(" "),
);

/** By Unicode's rules for words, so that languages without spaces have words too; a plural counts as its singular. */
const cutter = new Intl.Segmenter("en", { granularity: "word" });

function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { segment, isWordLike } of cutter.segment(text.slice(0, LONGEST_COMPARED).toLowerCase())) {
    if (isWordLike !== true || EMPTY_WORDS.has(segment)) continue;
    words.add(/[^s]s$/.test(segment) && segment.length > 3 ? segment.slice(0, -1) : segment);
  }
  return words;
}
