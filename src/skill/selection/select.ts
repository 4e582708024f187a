/**
 * Which skills fit a goal and a situation. Words are found with BM25, meanings with vectors where the caller has an
 * embedding model; a goal of exactly the skill's shape counts most. General advice comes first, then the kind of task, then
 * the single decision, all within a budget of tokens, and never two skills that contradict each other.
 */
import { buildBm25, type Bm25Index } from "../../base/bm25.ts";
import type { JsonObject } from "../../trajectory/index.ts";
import { fillPlaces, fitShape } from "../extract/goal-shapes.ts";
import { isFunctionWord } from "../extract/words.ts";
import type { LibraryEntry } from "../library/index-file.ts";
import type { LibraryLevel, Status } from "../library/library-skill.ts";
import { confidence } from "../lifecycle/lifecycle.ts";
import { nearestBy, type Nearest } from "./nearest.ts";

export interface SelectorOptions {
  /** Which skills may be offered. Default: active and advisory. */
  readonly statuses?: readonly Status[];
  /** One vector for each entry given, in their order, from the model that also embeds the questions. */
  readonly vectors?: readonly ArrayLike<number>[];
  /** How long a text is. Default: a quarter of its letters. */
  readonly countTokens?: (text: string) => number;
}

export interface Question {
  readonly goal: string;
  /** What the agent sees now; step skills are chosen by it and only where it is given. */
  readonly state?: string;
  readonly vector?: ArrayLike<number>;
  /** Tokens of all chosen texts together. Default: 400. */
  readonly budgetTokens?: number;
  /** At most so many of a level. Default: 1 general, 2 task, 1 step. */
  readonly most?: Partial<Readonly<Record<LibraryLevel, number>>>;
  /** Least likeness, from 0 to 1, of a skill whose shape does not fit the goal. Default: 0.75. */
  readonly threshold?: number;
}

export interface Chosen {
  readonly name: string;
  readonly version: string;
  readonly level: LibraryLevel;
  /** With the words of the goal in its places. */
  readonly text: string;
  readonly score: number;
  readonly utility: number;
}

export interface Choice {
  /** General, task, step; by name within a level, so that equal choices give equal prompts. */
  readonly skills: readonly Chosen[];
  /** Everything that was weighed, best first: credit for choosing compares with these. */
  readonly candidates: readonly Chosen[];
  readonly tokens: number;
}

export interface Selector {
  readonly size: number;
  select(question: Question): Choice;
}

const OFFERED: readonly Status[] = ["active", "advisory"];
const MOST: Readonly<Record<LibraryLevel, number>> = { general: 1, task: 2, step: 1 };
const WEIGHED = 48;
const ADVISORY = 0.5;

interface Prepared {
  readonly entry: LibraryEntry;
}

/**
 * Chooses among these entries; made once, asked often.
 *
 * @example
 * import { bankSkills, readBank } from "limbeck/skill/bank";
 *
 * const skills = bankSkills(readBank({ general_skills: [{ id: "heat", title: "Heat", principle: "Take {1} to the microwave." }] }));
 * const own = { version: "1", links: 0, level: "task", status: "active", when: { goals: ["heat some {1}"] } } as const;
 * const selector = createSelector(skills.map((skill) => ({ ...skill, ...own })));
 * console.log(selector.select({ goal: "heat some egg" }).skills.map(({ text }) => text)); // [ "Heat: Take egg to the microwave." ]
 */
export function createSelector(entries: readonly LibraryEntry[], options: SelectorOptions = {}): Selector {
  const { statuses = OFFERED, vectors, countTokens = (text) => Math.ceil(text.length / 4) } = options;
  const kept = entries.flatMap((entry, at) => (statuses.includes(entry.status) ? [at] : []));
  const offered: Prepared[] = kept.map((at) => ({ entry: entries[at] as LibraryEntry }));
  const near = vectors === undefined ? undefined : nearestBy(kept.map((at) => vectors[at] ?? []));
  const index = buildBm25(offered.map(({ entry }) => indexWords(entry)));
  const general = offered.filter(({ entry }) => entry.level === "general" && entry.when.goals.length === 0);
  return {
    size: offered.length,
    select: (question) => {
      const likeness = weigh(offered, index, near, question);
      for (const prepared of general) likeness.set(prepared, 1);
      const { threshold = 0.75 } = question;
      const weighed = [...likeness].map(([{ entry }, alike]) => score(entry, alike, question.goal));
      // Where a skill is made for this very kind of goal, one for a similar kind would only contradict it.
      const fitting = weighed.some(({ fits, entry }) => fits && entry.level === "task");
      const candidates = weighed.filter(
        ({ fits, entry, alike }) => fits || (alike >= threshold && !(fitting && entry.level === "task")),
      );
      return choose(candidates.sort(better), question, countTokens);
    },
  };
}

interface Weighed {
  readonly chosen: Chosen;
  readonly entry: LibraryEntry;
  readonly fits: boolean;
  readonly alike: number;
}

function better(one: Weighed, other: Weighed): number {
  return other.chosen.score - one.chosen.score || (one.entry.name < other.entry.name ? -1 : 1);
}

/** Likeness from 0 to 1: by shared words, for what BM25 finds, and by meaning where there are vectors. */
function weigh(
  offered: readonly Prepared[],
  index: Bm25Index,
  near: Nearest | undefined,
  { goal, state, vector }: Question,
): Map<Prepared, number> {
  const found = new Map<Prepared, number>();
  const asked = new Set(wordsOf(goal));
  const seen = new Set(wordsOf(state ?? ""));
  for (const { document } of index.search([...asked, ...seen], WEIGHED)) {
    const prepared = offered[document];
    if (prepared !== undefined) found.set(prepared, wordLikeness(prepared.entry, asked, seen));
  }
  if (vector === undefined || near === undefined) return found;
  for (const { at, likeness } of near(vector, WEIGHED)) {
    const prepared = offered[at];
    if (prepared !== undefined) found.set(prepared, Math.max(found.get(prepared) ?? 0, likeness));
  }
  return found;
}

const LEAST_SHARED = 2;

/** Shared words over the words of the smaller side, of its goals or, for a single decision, of its situation. */
function wordLikeness({ level, when }: LibraryEntry, asked: ReadonlySet<string>, seen: ReadonlySet<string>): number {
  const texts = level === "step" && when.state !== undefined ? [when.state] : when.goals;
  const other = level === "step" ? seen : asked;
  const trigger = (when.words ?? []).some((word) => asked.has(word.toLowerCase()) || seen.has(word.toLowerCase()));
  if (when.words !== undefined && !trigger) return 0;
  const likeness = texts.map((text) => {
    const words = new Set(wordsOf(text.replaceAll(/\{\d+\}/g, " ")));
    const shared = [...words].filter((word) => other.has(word)).length;
    return shared < LEAST_SHARED ? 0 : shared / Math.min(words.size, other.size);
  });
  return Math.max(trigger ? 1 : 0, ...likeness);
}

/** A fitting shape counts 1, likeness up to 1, and up to half a point what its uses say of it. */
function score(entry: LibraryEntry, alike: number, goal: string): Weighed {
  const values = entry.when.goals.map((shape) => fitShape(shape, goal)).find((found) => found !== undefined);
  const fits = values !== undefined || (entry.level === "general" && entry.when.goals.length === 0);
  const weight = entry.status === "advisory" ? ADVISORY : 1;
  return {
    entry,
    fits,
    alike,
    chosen: {
      name: entry.name,
      version: entry.version,
      level: entry.level,
      text: values === undefined ? entry.text : fillPlaces(entry.text, values),
      score: weight * ((fits ? 1 : 0) + alike + confidence(entry.statistics) / 2),
      utility: entry.statistics.utility,
    },
  };
}

const LEVELS: readonly LibraryLevel[] = ["general", "task", "step"];

function choose(
  candidates: readonly Weighed[],
  { state, budgetTokens = 400, most = {} }: Question,
  countTokens: (text: string) => number,
): Choice {
  const taken: Weighed[] = [];
  let left = budgetTokens;
  const room = new Map(LEVELS.map((level) => [level, most[level] ?? MOST[level]]));
  for (const candidate of candidates) {
    const { entry, chosen } = candidate;
    const places = entry.level === "step" && state === undefined ? 0 : (room.get(entry.level) ?? 0);
    const cost = countTokens(chosen.text);
    if (places === 0 || cost > left || taken.some((other) => contradict(other.entry, entry))) continue;
    room.set(entry.level, places - 1);
    left -= cost;
    taken.push(candidate);
  }
  const ordered = taken
    .map(({ chosen }) => chosen)
    .sort((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level) || (one.name < other.name ? -1 : 1));
  return { skills: ordered, candidates: candidates.map(({ chosen }) => chosen), tokens: budgetTokens - left };
}

function contradict(one: LibraryEntry, other: LibraryEntry): boolean {
  return (one.contradicts ?? []).includes(other.name) || (other.contradicts ?? []).includes(one.name);
}

/** What a trajectory keeps of a choice, so that its outcome reaches the skills. */
export function choiceRecord({ skills, candidates }: Choice): JsonObject {
  return {
    skills: skills.map(({ name, version, utility }) => ({ name, version, utility })),
    candidates: candidates.slice(0, 8).map(({ name, utility }) => ({ name, utility })),
  };
}

function indexWords({ when, description, text }: LibraryEntry): string[] {
  return wordsOf([...when.goals, ...(when.words ?? []), when.state ?? "", description, text].join(" "));
}

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .slice(0, 4000)
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).filter((word) => !isFunctionWord(word));
}
