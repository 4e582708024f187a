/**
 * Skill1's library while a policy learns to use it: what was written, how useful it was, how often it was chosen. A plain
 * value that training keeps in its checkpoint; the library of `skill/library` is for skills that people read and share.
 *
 *   U <- (1 - a) U + a R   after each use;   a new skill starts with U = R of its episode
 *   retrieval: similarity + U + c sqrt(ln(1 + N) / (1 + uses)) while training, without the last term in evaluation
 */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { wordSet } from "limbeck-base/base/words";
import { explorationScore } from "../../skill/lifecycle/skill1.ts";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { JsonObject } from "limbeck-base/base/json";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";

export interface ShelfSkill {
  /** Unique on its shelf, in the order of writing. */
  readonly id: number;
  /** The goal it was written for. */
  readonly scenario: string;
  readonly text: string;
  readonly utility: number;
  readonly uses: number;
}

export interface Shelf {
  readonly skills: readonly ShelfSkill[];
  /** The next id. */
  readonly next: number;
}

export const emptyShelf: Shelf = { skills: [], next: 1 };

const ShelfSchema = z.object({
  next: z.int().positive(),
  skills: z.array(
    z.object({
      id: z.int().positive(),
      scenario: z.string(),
      text: z.string(),
      utility: z.number(),
      uses: z.int().nonnegative(),
    }),
  ),
});

/**
 * The shelf as JSON, for a checkpoint.
 *
 * @example
 * import { emptyShelf } from "limbeck/search";
 *
 * console.log(shelfToJson(emptyShelf)); // { next: 1, skills: [] }
 */
export function shelfToJson({ skills, next }: Shelf): JsonObject {
  return { next, skills: skills.map((skill) => ({ ...skill })) };
}

/**
 * The shelf that a checkpoint holds; an empty one where there is none yet.
 *
 * @example
 * const skill = { id: 1, scenario: "heat an egg", text: "Use the microwave.", utility: 0.5, uses: 2 };
 * console.log(shelfFromJson({ next: 2, skills: [skill] }).skills[0]?.text, shelfFromJson(null)); // Use the microwave. { skills: [], next: 1 }
 */
export function shelfFromJson(state: JsonObject | null): Shelf {
  if (state === null) return emptyShelf;
  const parsed = ShelfSchema.safeParse(state);
  if (parsed.success) return parsed.data;
  throw new EngineError(
    "bad-shelf",
    `The kept skills cannot be read: ${z.prettifyError(parsed.error)}. Start a new run.`,
  );
}

export interface RetrieveOptions {
  /** How many candidates. Default: 3. */
  readonly most?: number;
  /** c: how much rarely tried skills are favoured; 0 is greedy. */
  readonly bonus: number;
  /** From 0 to 1. Default: shared words. */
  readonly similarity?: (query: string, skill: ShelfSkill) => number;
}

/** The best candidates for a query, best first; equal scores by age, the oldest first. */
export function retrieve({ skills }: Shelf, query: string, options: RetrieveOptions): ShelfSkill[] {
  const { most = 3, bonus, similarity = sharedWords } = options;
  const total = skills.reduce((sum, { uses }) => sum + uses, 0);
  return skills
    .map((skill) => ({
      skill,
      score: explorationScore({ ...skill, similarity: similarity(query, skill) }, total, bonus),
    }))
    .sort((one, other) => other.score - one.score || one.skill.id - other.skill.id)
    .slice(0, most)
    .map(({ skill }) => skill);
}

/** The share of the query's words that stand in the skill's scenario. */
export function sharedWords(query: string, { scenario }: Pick<ShelfSkill, "scenario">): number {
  const [asked, known] = [wordSet(query), wordSet(scenario)];
  return asked.size === 0 ? 0 : [...asked].filter((word) => known.has(word)).length / asked.size;
}

/** What one episode did with the shelf, and how it ended. */
export interface Visit {
  /** The skill that was chosen; undefined where there was nothing to choose from. */
  readonly chosen?: number | undefined;
  readonly written?: { readonly scenario: string; readonly text: string } | undefined;
  /** R. */
  readonly outcome: number;
}

export interface FoldOptions {
  /** a. */
  readonly rate: number;
  /** Most skills; the least useful go first. */
  readonly capacity: number;
  /** What a new skill starts with: the outcome of its episode, or the mean utility of the shelf. */
  readonly newUtility: "outcome" | "mean";
}

/** The shelf after these episodes, in their order. A text that is there already for the same goal is not written again. */
export function foldVisits(shelf: Shelf, visits: readonly Visit[], options: FoldOptions): Shelf {
  let { skills, next } = shelf;
  for (const { chosen, written, outcome } of visits) {
    skills = skills.map((skill) => (skill.id === chosen ? used(skill, outcome, options.rate) : skill));
    const known = skills.some(({ scenario, text }) => scenario === written?.scenario && text === written.text);
    if (written === undefined || known) continue;
    const mean = skills.reduce((sum, skill) => sum + skill.utility, 0) / Math.max(1, skills.length);
    const utility = options.newUtility === "outcome" || skills.length === 0 ? outcome : mean;
    skills = withoutWorst([...skills, { id: next, ...written, utility, uses: 0 }], options.capacity);
    next += 1;
  }
  return { skills, next };
}

function used(skill: ShelfSkill, outcome: number, rate: number): ShelfSkill {
  return { ...skill, utility: (1 - rate) * skill.utility + rate * outcome, uses: skill.uses + 1 };
}

/** Of equally useless ones the oldest goes. */
function withoutWorst(skills: readonly ShelfSkill[], capacity: number): readonly ShelfSkill[] {
  if (skills.length <= capacity) return skills;
  let worst = 0;
  for (const [at, { utility }] of skills.entries()) if (utility < (skills[worst] as ShelfSkill).utility) worst = at;
  return skills.filter((_, at) => at !== worst);
}

// What the steps of an episode say of its visit to the library, read back from `info.skill1`.

interface Note {
  readonly segment?: string;
  readonly candidates?: readonly { readonly id: number; readonly utility: number }[];
  readonly chosen?: number;
  readonly utility?: number;
  readonly written?: { readonly scenario: string; readonly text: string };
}

export type CreditedSegment = "selection" | "utilisation" | "distillation";

/** Query and choice are one segment; a step without a note is acting. */
export function segmentOf({ info }: Pick<Step, "info">): CreditedSegment {
  const { segment } = readNote(info);
  return segment === "query" || segment === "select"
    ? "selection"
    : segment === "write"
      ? "distillation"
      : "utilisation";
}

export interface EpisodeVisit extends Visit {
  /** Utilities of the candidates, and of the chosen one, when it was chosen. */
  readonly candidateUtilities: readonly number[];
  readonly chosenUtility: number | undefined;
}

/**
 * Undefined where the episode is unscored: it changes no utility and earns no credit.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1 });
 * const visits = trajectories.map(visitOf);
 * console.log(visits[0]?.outcome, visits[0]?.chosen); // 1 undefined
 */
export function visitOf(trajectory: Pick<Trajectory, "steps" | "success" | "reward">): EpisodeVisit | undefined {
  const outcome = outcomeValue(trajectory);
  if (outcome === undefined) return undefined;
  const notes = trajectory.steps.map(({ info }) => readNote(info));
  const choice = notes.findLast(({ chosen }) => chosen !== undefined);
  return {
    outcome,
    chosen: choice?.chosen,
    chosenUtility: choice?.utility,
    candidateUtilities: choice?.candidates?.map(({ utility }) => utility) ?? [],
    written: notes.findLast(({ written }) => written !== undefined)?.written,
  };
}

/** R from 0 to 1 where the world says whether it succeeded; its reward otherwise. */
function outcomeValue({ success, reward }: Pick<Trajectory, "success" | "reward">): number | undefined {
  const value = scoreValue(reward);
  return value === undefined || success === null ? value : Number(success);
}

function readNote(info: Step["info"]): Note {
  const note = info?.["skill1"];
  return typeof note === "object" && note !== null && !Array.isArray(note) ? (note as Note) : {};
}
