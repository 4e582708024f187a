/**
 * Which skills fit a goal and a situation: the one selection, for every way to deliver them. A goal of exactly the skill's shape counts most, then
 * shared words, and meanings where the caller has an embedding model. General advice comes first, then the kind of task, then
 * the single decision, all within a budget of tokens, and never two skills that contradict each other.
 */
import { fillPlaces, fitReader, withoutPlaces, type Fit } from "./fit-shape.ts";
import { confidence, isInUse, LIBRARY_LEVELS, type LibraryLevel, type OfferedSkill } from "./offered-skill.ts";
import { SELECTOR, selectorNotice } from "./proven-with.ts";
import { isUnspaced, tellingWords } from "./words.ts";

export interface SelectorOptions {
  /** Which skills may be offered. Default: those in use, active and advisory. */
  readonly statuses?: readonly string[];
  /** One vector for each entry given, in their order, from the model that also embeds the questions. */
  readonly vectors?: readonly ArrayLike<number>[];
  /** Name and version of that model: what is proven with it says so. Default: "vectors, not named". */
  readonly vectorModel?: string;
}

export interface SelectLimits {
  /** Tokens of all chosen texts together, a quarter of their letters. Default: 400. */
  readonly budgetTokens?: number;
  /** At most so many of a level. Default: 1 general, 2 task, 1 step. */
  readonly most?: Partial<Readonly<Record<LibraryLevel, number>>>;
  /** Least likeness, from 0 to 1, of a skill whose shape does not fit the goal. Default: 0.75. */
  readonly threshold?: number;
}

export interface Question extends SelectLimits {
  readonly goal: string;
  /** What the agent sees now; step skills are chosen by it and only where it is given. */
  readonly state?: string;
  readonly vector?: ArrayLike<number>;
}

export interface Chosen {
  readonly name: string;
  readonly version: string;
  readonly level: LibraryLevel;
  /** With the words of the goal in its places; where the goal is only alike, with the shape that its places are of. */
  readonly text: string;
  readonly score: number;
  readonly utility: number;
  /** "proven with another selector …": stands in the prompt too. */
  readonly notice?: string;
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

/** The defaults of every way to deliver skills. */
export const SELECTION = {
  budgetTokens: 400,
  most: { general: 1, task: 2, step: 1 },
  threshold: 0.75,
} as const satisfies Required<SelectLimits>;

/** How long a text is, for every model: with another measure the same library would give other skills. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

const NEAREST = 48;
const ADVISORY = 0.5;
const LEAST_SHARED = 2;

/**
 * Chooses among these entries; made once, asked often.
 *
 * @example
 * import { bankSkills, readBank } from "limbeck/skill";
 *
 * const skills = bankSkills(readBank({ general_skills: [{ id: "heat", title: "Heat", principle: "Take {1} to the microwave." }] }));
 * const own = { version: "1", links: 0, level: "task", status: "active", when: { goals: ["heat some {1}"] } } as const;
 * const selector = createSelector(skills.map((skill) => ({ ...skill, ...own })));
 * console.log(selector.select({ goal: "heat some egg" }).skills.map(({ text }) => text)); // [ "Heat: Take egg to the microwave." ]
 */
export function createSelector(entries: readonly OfferedSkill[], options: SelectorOptions = {}): Selector {
  const { statuses, vectors, vectorModel = "vectors, not named" } = options;
  const chooses = vectors === undefined ? SELECTOR : vectorModel;
  const mayBeOffered = (entry: OfferedSkill): boolean => statuses?.includes(entry.status) ?? isInUse(entry);
  const kept = entries.flatMap((entry, at) => (mayBeOffered(entry) ? [at] : []));
  const offered = kept.map((at) => prepare(entries[at] as OfferedSkill, chooses));
  const near = vectors === undefined ? undefined : nearestBy(kept.map((at) => vectors[at] ?? []));
  const index = createIndex(offered);
  const everywhere = offered.filter(({ always }) => always);
  return {
    size: offered.length,
    select: (question) => {
      const { threshold = SELECTION.threshold, vector, goal } = question;
      const weighed = new Map(everywhere.map((skill) => [skill, weigh(skill, 1, NO_PLACES)]));
      for (const [skill, alike, fit] of index(goal, question.state)) weighed.set(skill, weigh(skill, alike, fit));
      for (const [skill, alike] of nearBy(offered, near, vector)) {
        const before = weighed.get(skill);
        if (before === undefined || before.alike < alike) weighed.set(skill, weigh(skill, alike, before?.fit));
      }
      // Where a skill is made for this very kind of goal, one for a similar kind would only contradict it.
      const fitting = [...weighed.values()].some(({ fit, entry }) => fit !== undefined && entry.level === "task");
      const candidates = [...weighed.values()].filter(
        ({ fit, entry, alike }) => fit !== undefined || (alike >= threshold && !(fitting && entry.level === "task")),
      );
      return choose(candidates.sort(better), question);
    },
  };
}

/** Made once for each skill: what it is compared by, and what reads a goal of its shape. */
interface Prepared {
  readonly entry: OfferedSkill;
  /** General advice without a condition fits every goal. */
  readonly always: boolean;
  readonly triggers: ReadonlySet<string> | undefined;
  readonly compared: readonly Compared[];
  readonly notice: { readonly notice?: string };
}

/** A goal of a skill, or the situation of a single decision. */
interface Compared {
  readonly by: "goal" | "state";
  readonly words: ReadonlySet<string>;
  readonly read: (goal: string) => Fit | undefined;
  /** Its words say nothing of whether a goal fits: there are none, they are cut otherwise beside other ones, or the last is a piece. */
  readonly unsure: boolean;
}

/** A shape of so many letters may be the beginning of a longer one. */
const LONG_SHAPE = 200;

const NO_PLACES: Fit = { values: [], marks: new Map() };

function prepare(entry: OfferedSkill, chooses: string): Prepared {
  const notice = selectorNotice(entry, chooses);
  const { level, when } = entry;
  const state = level === "step" ? when.state : undefined;
  const goals = when.goals.map((goal): Compared => {
    const words = tellingWords(withoutPlaces(goal));
    const unsure = words.size === 0 || goal.length >= LONG_SHAPE || isUnspaced(goal);
    return { by: "goal", words, unsure, read: fitReader(goal) };
  });
  const seen = [state ?? []].flat().map((text): Compared => {
    return { by: "state", words: tellingWords(withoutPlaces(text)), unsure: false, read: () => undefined };
  });
  return {
    entry,
    always: level === "general" && when.goals.length === 0 && when.words === undefined,
    triggers: when.words === undefined ? undefined : tellingWords(when.words.join(" ")),
    compared: [...goals, ...seen],
    notice: notice === undefined ? {} : { notice },
  };
}

type Found = readonly [skill: Prepared, alike: number, fit: Fit | undefined];

/**
 * Everything that shares a word with the goal or the situation, with its likeness: shared words over the words of the smaller side. A goal
 * of a skill's shape has all words of the shape, so nothing that fits is missed, however large the library is.
 */
function createIndex(offered: readonly Prepared[]): (goal: string, state: string | undefined) => Iterable<Found> {
  const all = offered.flatMap((skill) => skill.compared.map((one) => ({ skill, one })));
  const byWord = new Map<string, number[]>();
  const add = (word: string, at: number): void => {
    const list = byWord.get(word);
    if (list === undefined) byWord.set(word, [at]);
    else list.push(at);
  };
  for (const [at, { one }] of all.entries()) for (const word of one.words) add(word, at);
  const unsure = all.flatMap(({ one }, at) => (one.unsure ? [at] : []));
  const triggered = offered.filter(({ triggers }) => triggers !== undefined);
  const shared = new Uint16Array(all.length);
  return (goal, state) => {
    const asked = tellingWords(withoutPlaces(goal));
    const seen = tellingWords(withoutPlaces(state ?? ""));
    const met = new Set(unsure);
    const count = (words: ReadonlySet<string>, by: Compared["by"]): void => {
      for (const word of words) {
        for (const at of byWord.get(word) ?? []) {
          if (all[at]?.one.by !== by) continue;
          met.add(at);
          shared[at] = (shared[at] ?? 0) + 1;
        }
      }
    };
    count(asked, "goal");
    count(seen, "state");
    const found = new Map<Prepared, { alike: number; fit: Fit | undefined }>();
    for (const at of met) {
      const { skill, one } = all[at] as (typeof all)[number];
      const both = shared[at] ?? 0;
      shared[at] = 0;
      const before = found.get(skill);
      const other = one.by === "goal" ? asked : seen;
      const likeness = both < LEAST_SHARED ? 0 : both / Math.min(one.words.size, other.size);
      // A single decision goes by its situation, where it has one.
      const isCompared = one.by === "state" || skill.entry.level !== "step" || skill.entry.when.state === undefined;
      const fit = before?.fit ?? (one.unsure || both === one.words.size ? one.read(goal) : undefined);
      found.set(skill, { alike: Math.max(before?.alike ?? 0, isCompared ? likeness : 0), fit });
    }
    for (const skill of triggered) {
      const isTriggered = [...(skill.triggers ?? [])].some((word) => asked.has(word) || seen.has(word));
      const fit = found.get(skill)?.fit;
      found.set(skill, { alike: isTriggered ? 1 : 0, fit });
    }
    return [...found].map(([skill, { alike, fit }]): Found => [skill, alike, fit]);
  };
}

function nearBy(
  offered: readonly Prepared[],
  near: Nearest | undefined,
  vector: ArrayLike<number> | undefined,
): [Prepared, number][] {
  if (vector === undefined || near === undefined) return [];
  return near(vector, NEAREST).flatMap(({ at, likeness }) => {
    const skill = offered[at];
    return skill === undefined ? [] : [[skill, likeness] as [Prepared, number]];
  });
}

interface Weighed {
  readonly chosen: Chosen;
  readonly entry: OfferedSkill;
  readonly fit: Fit | undefined;
  readonly alike: number;
}

function better(one: Weighed, other: Weighed): number {
  return other.chosen.score - one.chosen.score || (one.entry.name < other.entry.name ? -1 : 1);
}

/** A fitting shape counts 1, likeness up to 1, and up to half a point what its uses say of it. */
function weigh({ entry, notice }: Prepared, alike: number, fit: Fit | undefined): Weighed {
  const { name, version, level, status, statistics } = entry;
  const weight = status === "advisory" ? ADVISORY : 1;
  const score = weight * ((fit === undefined ? 0 : 1) + alike + confidence(statistics) / 2);
  return {
    entry,
    fit,
    alike,
    chosen: { name, version, level, text: textFor(entry, fit), score, utility: statistics.utility, ...notice },
  };
}

/** Without the words of a goal a place says nothing: the shape then says what it stands for. */
function textFor({ text, when }: OfferedSkill, fit: Fit | undefined): string {
  if (fit !== undefined) return fillPlaces(text, fit.values, fit.marks);
  const [shape] = when.goals;
  return shape === undefined || !/\{\d+\}/.test(text) ? text : `For goals like ${JSON.stringify(shape)}: ${text}`;
}

function choose(candidates: readonly Weighed[], question: Question): Choice {
  const { state, budgetTokens = SELECTION.budgetTokens, most = {} } = question;
  const taken: Weighed[] = [];
  let left = budgetTokens;
  const room = new Map(LIBRARY_LEVELS.map((level) => [level, most[level] ?? SELECTION.most[level]]));
  for (const candidate of candidates) {
    const { entry, chosen } = candidate;
    const places = entry.level === "step" && state === undefined ? 0 : (room.get(entry.level) ?? 0);
    const cost = tokensOf(chosen.text);
    if (places === 0 || cost > left || taken.some((other) => contradict(other.entry, entry))) continue;
    room.set(entry.level, places - 1);
    left -= cost;
    taken.push(candidate);
  }
  const rank = ({ level }: Chosen): number => LIBRARY_LEVELS.indexOf(level);
  const ordered = taken
    .map(({ chosen }) => chosen)
    .sort((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1));
  return { skills: ordered, candidates: candidates.map(({ chosen }) => chosen), tokens: budgetTokens - left };
}

function contradict(one: OfferedSkill, other: OfferedSkill): boolean {
  return (one.contradicts ?? []).includes(other.name) || (other.contradicts ?? []).includes(one.name);
}

// Nearest vectors by the cosine of their angle. All lie in one array, at length one: a question only multiplies and adds.

interface Near {
  readonly at: number;
  readonly likeness: number;
}

/** The `most` nearest, best first. A question of another length than the vectors finds nothing. */
type Nearest = (question: ArrayLike<number>, most: number) => Near[];

export function nearestBy(vectors: readonly ArrayLike<number>[]): Nearest {
  const length = vectors.reduce((longest, vector) => Math.max(longest, vector.length), 0);
  const rows = new Float32Array(vectors.length * length);
  for (const [at, vector] of vectors.entries()) if (vector.length === length) rows.set(unit(vector), at * length);
  return (question, most) => {
    if (question.length !== length || length === 0) return [];
    // The same numbers, widened once instead of at every product.
    const asked = Float64Array.from(unit(question));
    const best: Near[] = [];
    let least = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < vectors.length; at += 1) {
      const likeness = product(rows, at * length, asked);
      if (best.length >= most && likeness <= least) continue;
      let place = best.length;
      while (place > 0 && (best[place - 1] as Near).likeness < likeness) place -= 1;
      best.splice(place, 0, { at, likeness });
      if (best.length > most) best.pop();
      least = (best.at(-1) as Near).likeness;
    }
    return best;
  };
}

/** Four sums at a time: additions that do not wait for each other take a third of the time. */
function product(rows: Float32Array, start: number, asked: Float64Array): number {
  const whole = asked.length - (asked.length % 4);
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let index = 0; index < whole; index += 4) {
    const at = start + index;
    first += (rows[at] as number) * (asked[index] as number);
    second += (rows[at + 1] as number) * (asked[index + 1] as number);
    third += (rows[at + 2] as number) * (asked[index + 2] as number);
    fourth += (rows[at + 3] as number) * (asked[index + 3] as number);
  }
  for (let index = whole; index < asked.length; index += 1) {
    first += (rows[start + index] as number) * (asked[index] as number);
  }
  return first + second + third + fourth;
}

/** At length one; zeros stay zeros. */
function unit(vector: ArrayLike<number>): Float32Array {
  const values = Float32Array.from(vector);
  const size = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return size === 0 ? values : values.map((value) => value / size);
}
