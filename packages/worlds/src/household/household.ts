/** The environment: generated games as tasks, played by the interpreter of the alfworld room. */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { type GameEpisodeOptions, openGameEpisode } from "../alfworld/episode.ts";
import { createGameReader, type Game } from "../alfworld/game.ts";
import { endlessSplits } from "limbeck-core/env/drawn-tasks";
import type { Env } from "limbeck-core/env/env";
import { DEFAULT_DIAL, type DialInput } from "./dial.ts";
import { familyIds } from "./families.ts";
import { gameName, readSplit, createGenerator, gameFile, type Generator, type GeneratorOptions } from "./generate.ts";
import { readGoal, type Goal } from "./goal.ts";
import { keepLatest } from "limbeck-core/env/keep-latest";
import { numberedTasks } from "limbeck-core/env/task-file";

export interface HouseholdOptions extends GeneratorOptions {
  /** Reward of the step that wins; 10 as in OPID. */
  readonly winReward?: number;
  /** Commands left out of the list, `["help"]` as OPID does; they are still carried out when given. */
  readonly hiddenCommands?: readonly string[];
  /** Games kept ready for further episodes of the same task. */
  readonly keptGames?: number;
}

export const SUMMARY = "Generated household errands in the language of ALFWorld, from tiny to official size.";

/** A task tells all that its game is made from, so that it opens in any household environment. */
const TaskDataSchema = z.object({
  dial: z.union([z.string(), z.record(z.string(), z.json())]),
  horizon: z.number(),
  family: z.enum(familyIds),
  seed: z.number(),
  index: z.number().int().nonnegative(),
});

/**
 * Errands in generated houses, in the words of ALFWorld.
 *
 * @example
 * const env = createHousehold({ dial: "tiny" });
 * for await (const task of env.tasks("train", { count: 1 })) console.log(task.goal); // put some tissuebox on countertop.
 */
export function createHousehold(options: HouseholdOptions = {}): Env {
  const own = createGenerator(options);
  const dialInput: DialInput = options.dial ?? DEFAULT_DIAL;
  const reader = createGameReader();
  const generators = keepLatest(16, (key: string) => createGenerator(JSON.parse(key) as GeneratorOptions));
  const games = keepLatest(options.keptGames ?? 256, (key: string): { game: Game; maxSteps: number } => {
    const { split, data } = JSON.parse(key) as { split: string; data: z.infer<typeof TaskDataSchema> };
    const generator = generators(JSON.stringify({ dial: data.dial, horizon: data.horizon, seed: data.seed }));
    const made = generator.game(readSplit(split), data.index, data.family);
    const name = gameName(readSplit(split), data.seed, data.index);
    return { game: reader.read(gameFile(made, name)), maxSteps: generator.dial.horizon };
  });
  return {
    id: "household",
    summary: SUMMARY,
    maxSteps: own.dial.horizon,
    splits: endlessSplits,
    tasks: (...asked) => listTasks(own, dialInput, ...asked),
    procedure: ({ goal }) => procedureOf(readGoal(goal)),
    open: async (task) => {
      const { game, maxSteps } = games(JSON.stringify({ split: task.split, data: readTaskData(task) }));
      return openGameEpisode(task, game, episodeOptions(options, maxSteps));
    },
  };
}

/** What the world says, in order, to one who does an errand: taken, treated, put down; or taken and held under the lamp. */
function procedureOf({ thing, count, treatment, target, underLamp }: Goal): readonly string[] {
  const taken = `you pick up the ${thing}`;
  if (underLamp) return [taken, `you turn on the ${target}`];
  const treated = treatment === undefined ? [] : [`you ${treatment} the ${thing}`];
  const once = [taken, ...treated, `you move the ${thing}`];
  return count === 2 ? [...once, ...once] : once;
}

function episodeOptions(options: HouseholdOptions, maxSteps: number): GameEpisodeOptions {
  return { maxSteps, winReward: options.winReward ?? 10, hiddenCommands: options.hiddenCommands ?? [] };
}

function listTasks(generator: Generator, dial: DialInput, ...[split, range]: Parameters<Env["tasks"]>): Iterable<Task> {
  const { horizon, name } = generator.dial;
  const { seed } = generator;
  return numberedTasks("household", endlessSplits, split, range, (index) => {
    const { family, goal } = generator.game(readSplit(split), index);
    return {
      id: `household/${name}-${horizon}/${split}/${seed}/${index}/${family}`,
      env: "household",
      seed,
      goal,
      split,
      data: { dial, horizon, family, seed, index },
    };
  });
}

function readTaskData(task: Task): z.infer<typeof TaskDataSchema> {
  const parsed = TaskDataSchema.safeParse(task.data);
  if (parsed.success) return parsed.data;
  throw new EngineError(
    "bad-task",
    `Task "${task.id}" is not a household task: ${z.prettifyError(parsed.error)}. Take tasks from this environment's tasks().`,
    { details: { task: task.id } },
  );
}
