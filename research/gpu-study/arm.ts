/** One arm of the study: a recipe from the warm start, over the same games, measured on the same ones; it can be resumed. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createStatisticsAnalyst, createWriter, type Analyst } from "limbeck/skill";
import { createWriterAnalyst } from "../../packages/core/src/skill/writer/writer-analyst.ts";
import { train } from "limbeck";
import { EARLIER_SETTINGS } from "../../packages/core/src/update/settings.ts";
import { MEASURED, openGames } from "./games.ts";
import { ANSWER_TOKENS, TEMPERATURE } from "./warm-up.ts";

/** What differs between the arms; everything else is the recipe's default. */
export const arms = {
  grpo: { recipe: "grpo", settings: {} },
  gigpo: { recipe: "gigpo", settings: {} },
  opid: { recipe: "opid", settings: {} },
  /** A teacher that reads less: only groups in which some succeeded and some did not, in every second update. */
  "opid-less": { recipe: "opid", settings: { teachGroups: "differing", teachEvery: 2 } },
  /** The published forms of teacher, credit and weight, with the statistics analyst, at this study's learning rate. */
  "opid-paper": { recipe: "opid", preset: "paper", settings: { analyst: "statistics", miniBatches: 1 } },
  /** The policy writes its skills itself, as it is then; where what it wrote is of no use, the statistics write. */
  "opid-own-skills": { recipe: "opid", writer: "policy", settings: {} },
} as const satisfies Readonly<
  Record<
    string,
    { recipe: string; preset?: string; writer?: "policy"; settings: Readonly<Record<string, string | number>> }
  >
>;
export type ArmName = keyof typeof arms;

export interface ArmOptions {
  readonly arm: ArmName;
  readonly seed: number;
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  readonly games: string;
  readonly dir: string;
  readonly updates: number;
  readonly tasks: number;
  readonly group: number;
  readonly rank: number;
  readonly learningRate: number;
  /** Updates by which episodes may be played ahead; undefined: none are. */
  readonly lag: number | undefined;
  /** 0: never. */
  readonly measureEvery: number;
  readonly measureGames: number;
  readonly say: (event: Readonly<Record<string, unknown>>) => void;
}

export async function runArm(options: ArmOptions): Promise<void> {
  const { arm, seed, url, apiKey, rank, dir, say } = options;
  const { recipe, settings, ...rest } = arms[arm];
  const resume = await stat(join(dir, "remote")).then(
    () => true,
    () => false,
  );
  const { tasks, group, learningRate, measureGames } = options;
  const tellWritings = writingsTeller(say);
  await train({
    recipe,
    ...rest,
    settings: { ...EARLIER_SETTINGS, ...settings, tasks, group, learningRate, answerTokens: ANSWER_TOKENS },
    env: await openGames(options.games),
    envName: "alfworld, official games",
    analyst: tellingAnalyst("writer" in rest ? createWriterAnalyst(NOBODY) : createStatisticsAnalyst(), say),
    model: options.model,
    trainer: { url, apiKey, rank },
    ...(options.lag === undefined ? {} : { lag: options.lag }),
    dir,
    resume,
    keep: false,
    seed,
    steps: options.updates,
    validation: { every: options.measureEvery, tasks: measureGames, split: MEASURED, ends: options.measureEvery > 0 },
    // The validation measures the start and the end.
    report: { tasks: 1, split: MEASURED },
    evaluationTemperature: TEMPERATURE,
    checkpointEvery: options.measureEvery > 0 ? options.measureEvery : options.updates,
    now: () => performance.now(),
    onEvent: ({ kind, ...event }) => {
      say({ event: kind, at: new Date().toISOString(), ...event });
      if (kind === "update" && "metrics" in event) tellWritings(event.metrics);
    },
  });
}

/** Until the training has put its policy in its place. */
const NOBODY = createWriter({ chat: { complete: () => Promise.reject(new Error("There is no policy yet.")) } });

/** How many of the writings were usable, in this update and so far. */
export function writingsTeller(say: ArmOptions["say"]): (metrics: Readonly<Record<string, number>>) => void {
  let [usableSoFar, soFar] = [0, 0];
  return (metrics) => {
    const [usable, template, nobody] = ["model", "template", "nobody"].map((who) => metrics[`writer/${who}`] ?? 0) as [
      number,
      number,
      number,
    ];
    const writings = usable + template + nobody;
    if (writings === 0) return;
    usableSoFar += usable;
    soFar += writings;
    say({ event: "writings", writings, usable, soFar, usableSoFar, tokens: metrics["writer/tokens"] ?? 0 });
  };
}

/** Tells the skills of the first group of every few, so that a reader sees what the teacher was told. */
function tellingAnalyst(analyst: Analyst, say: ArmOptions["say"]): Analyst {
  const { writtenBy } = analyst;
  let groups = 0;
  return {
    id: analyst.id,
    ...(writtenBy === undefined ? {} : { writtenBy: (writer) => tellingAnalyst(writtenBy(writer), say) }),
    analyse: async (group, given) => {
      const found = await analyst.analyse(group, given);
      groups += 1;
      if (groups % 64 === 1) {
        for (const { trajectory, outcome, episodeSkill, stepSkills } of found.slice(0, 8)) {
          const steps = Object.fromEntries([...stepSkills].map(([step, { text }]) => [step, text]));
          say({ event: "skill", trajectory, goal: group[0]?.task.goal, outcome, text: episodeSkill?.text, steps });
        }
      }
      return found;
    },
  };
}
