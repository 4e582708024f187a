/** Skill1: one policy asks its library, chooses a skill, acts with it and writes a new one; one outcome, three credits. */
import { option } from "limbeck-base/base/option";
import { clipped } from "../objective/clipped.ts";
import {
  foldVisits,
  segmentOf,
  shelfFromJson,
  shelfToJson,
  visitOf,
  type Shelf,
  type Visit,
} from "../orchestrate/skills/shelf.ts";
import { withSkillChoice } from "../orchestrate/skills/with-skill-choice.ts";
import { choosingSettings } from "./choosing-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { collect } from "../update/collect.ts";
import { keep, measure } from "../update/context.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";
import { sharedSettings } from "../update/settings.ts";
import { trainRows } from "../update/train-rows.ts";
import { mean } from "limbeck-base/base/statistics/summary";
import type { TrainRow } from "limbeck-policy/policy/objective";
import type { Json, JsonObject } from "limbeck-base/trajectory/trajectory";
import { rowFromJson, rowToJson } from "./kept-rows.ts";

export const skill1 = defineRecipe({
  info: {
    title: "Skill1",
    paper: "Skill1: Unified Evolution of Skill-Augmented Agents via Reinforcement Learning",
    confidence: "reading",
    source:
      "AlphaLab-USTC/Skill1 @ f3aa2fbf; launch_scripts/alfworld/train_alfworld.sh, and the paper's abstract, arXiv 2605.06130; of its trainer only stored copies without repository and commit",
    meaning:
      "Learns to search, choose, use and write skills together, each part credited in its own way by the one outcome.",
    departures: [
      "Coefficients are those of the released launch script; the rest follows the description.",
      "Small models do not write: with answers listed the query is a word of the goal, the choice a number, and what is written one of three texts in the statistics analyst's words. Tokens, masks and allowed sets are recorded as they were drawn. With answers free all of it is the model's own text; what it writes is screened first. A text model (--ask) adds its query and its text to what is listed.",
      "A query finds skills by shared words with the goal they were written for, not by an embedding.",
      "The library stands still during an update, so that the episodes of a group find the same skills; it is in the checkpoint.",
      "Query and choice are one segment. Where no skill was written for such a goal the episode has neither: a skill of another goal names other things, and a small model that does what it says solves nothing.",
      "Copies of the trainer keep what successes wrote alone, with a utility of 0.5, move the utilities of all candidates, and let go what has the least U log2(1 + uses). Here failures are kept too, a skill starts with its episode's outcome, only the chosen one moves, and the least useful goes.",
      "judge=later, which is ours, credits writing by the episodes that use it first. As published it is the outcome of its own episode, less the best utility at hand.",
    ],
  },
  credit: "skill1",
  settings: {
    ...choosingSettings,
    candidates: option.number(3, "skills that a query finds", { least: 1, most: 9, whole: true }),
    explore: option.number(0.5, "c, how much rarely tried skills are favoured while training", { least: 0 }),
    utilityRate: option.share(0.05, "a, how much one use moves a utility"),
    newUtility: option.choice(
      "outcome",
      ["outcome", "mean"],
      "what a new skill starts with: its episode's outcome, or the mean of the library",
    ),
    capacity: option.count(5000, "most skills; the least useful go"),
    likeness: option.share(1, "share of the goal's words that a skill's own goal must have for the skill to be found"),
    judge: option.choice(
      "own",
      ["own", "later"],
      "what writing is credited by: the outcome of its own episode, or how episodes fare that use the skill later",
    ),
    writingWeight: option.number(0.3, "with judge=later: weight of that credit", { least: 0 }),
    patience: option.count(20, "with judge=later: updates that a skill waits for its first use"),
    clipLow: sharedSettings.clipLow,
    clipHigh: sharedSettings.clipHigh,
  },
  presets: {
    paper: { answers: "free", group: 8, klWeight: 0.01, learningRate: 1e-6, likeness: 0 },
  },
  world: (env, { answers, prompts, candidates, explore, likeness }, kept, phase, writer) =>
    withSkillChoice(env, {
      likeness,
      shelf: shelfFromJson(kept),
      retrieval: { most: candidates, bonus: phase === "training" ? explore : 0 },
      writes: phase === "training",
      answers,
      remind: prompts === "rebuilt",
      writer,
    }),
  update: async (update, settings) => {
    const { utilityRate, newUtility, capacity, judge, patience, writingWeight: weight, clipLow, clipHigh } = settings;
    // 1. Act, and learn from it; what was written waits for its uses.
    const episodes = await collect(update);
    const { rows, batch, result } = await credit(update, episodes);
    const stepsThat = (write: boolean): number[] =>
      batch.steps.flatMap((step, at) => ((segmentOf(step) === "distillation") === write ? [at] : []));
    const without = (left: readonly number[]) =>
      trainRows(episodes, batch, { ...result, dropped: [...result.dropped, ...left] });
    await learn(update, judge === "own" ? rows : without(stepsThat(true)), "clipped");

    // 2. Skills written before are judged by the episodes that used them now.
    const written = new Map(episodes.map((episode) => [episode.id, visitOf(episode)?.written]));
    const visits = episodes.flatMap((episode) => visitOf(episode) ?? []);
    const waited = waitingFromJson(update.kept?.["waiting"]).filter((one) => update.update - one.update <= patience);
    const judged = judgeWriting(judge === "own" ? [] : waited, visits, weight);
    measure(update, { "library/judged": judged.skills });
    const objective = clipped.create({ clipLow, clipHigh });
    if (judged.rows.length > 0) await learn(update, judged.rows, { name: "writing", weight: 1, objective });

    // 3. The library as the next update finds it.
    const before = shelfFromJson(update.kept);
    const shelf = foldVisits(before, visits, { rate: utilityRate, newUtility, capacity });
    const { skills } = shelf;
    const utility = skills.reduce((total, skill) => total + skill.utility, 0) / Math.max(1, skills.length);
    measure(update, { "library/skills": skills.length, "library/meanUtility": utility });
    const fresh = judge === "own" ? [] : newlyWritten(without(stepsThat(false)), written, before, shelf, update.update);
    keep(update, { ...shelfToJson(shelf), waiting: waitingToJson([...judged.waiting, ...fresh]) });
  },
});

// Writing that is judged by what comes of it (Skill1). The outcome of an episode is known when its skill is written, so that it
// says nothing of the words; how episodes fare that use the skill later does. Until then the tokens of the writing wait.
// A = mean over its uses in the first update that uses it of (R - mean R of that update's episodes)

/** The tokens that wrote a skill that is not used yet. */
export interface WaitingRow {
  /** Id of the skill on the shelf. */
  readonly skill: number;
  readonly row: TrainRow;
  /** The update it was written in. */
  readonly update: number;
}

interface Judged {
  /** With the advantage at every trained token; rows that were worth exactly what all episodes were are left out. */
  readonly rows: readonly TrainRow[];
  /** How many skills had their first use. */
  readonly skills: number;
  readonly waiting: readonly WaitingRow[];
}

/** Judges what these episodes used; what they did not use waits on. */
export function judgeWriting(waiting: readonly WaitingRow[], visits: readonly Visit[], weight: number): Judged {
  const usual = mean(visits.map(({ outcome }) => outcome));
  const usesOf = (skill: number): readonly Visit[] => visits.filter(({ chosen }) => chosen === skill);
  const used = waiting.filter(({ skill }) => usesOf(skill).length > 0);
  const rows = used.flatMap(({ skill, row }) => {
    const advantage = weight * (mean(usesOf(skill).map(({ outcome }) => outcome)) - usual);
    if (advantage === 0) return [];
    return [{ ...row, advantages: Float64Array.from(row.mask, (on) => (on === 1 ? advantage : 0)) }];
  });
  return { rows, skills: used.length, waiting: waiting.filter((one) => !used.includes(one)) };
}

/** Rows of skills that are new on the shelf, each by the text that its episode wrote. */
export function newlyWritten(
  rows: readonly TrainRow[],
  written: ReadonlyMap<string, Visit["written"]>,
  before: Shelf,
  after: Shelf,
  update: number,
): WaitingRow[] {
  const fresh = after.skills.filter(({ id }) => id >= before.next);
  return fresh.flatMap(({ id, scenario, text }): WaitingRow[] => {
    const row = rows.find(({ trajectory = "" }) => {
      const own = written.get(trajectory);
      return own?.scenario === scenario && own.text === text;
    });
    return row === undefined ? [] : [{ skill: id, row, update }];
  });
}

export function waitingToJson(waiting: readonly WaitingRow[]): JsonObject[] {
  return waiting.map(({ row, ...rest }) => ({ ...rest, row: rowToJson(row) }));
}

export function waitingFromJson(kept: Json | undefined): WaitingRow[] {
  const list = (kept ?? []) as readonly (Omit<WaitingRow, "row"> & { readonly row: Json })[];
  return list.map(({ row, ...rest }) => ({ ...rest, row: rowFromJson(row) }));
}
