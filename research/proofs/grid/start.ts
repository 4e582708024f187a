/** The weak model with which every arm of a seed begins: it has seen a wanderer, of whose steps three in ten go towards the goal. */
import { createRng, type Env, type Rng, type Task } from "limbeck";
import grid from "../../new-worlds/grid.ts";
import { writeStart, type Lesson } from "../../results/tiny-training.ts";

/** A hundred thousand parameters: a training takes a minute or two of a processor. */
const SIZE = { layers: 2, width: 64, contextLength: 128, vocabulary: 384 } as const;
/** Levels of the training that the wanderer plays, and batches of what it does there; other numbers for pilots. */
const SHOWN = 400;
const BATCHES = Number(process.env["GRID_BATCHES"] ?? 400);
const RATE = Number(process.env["GRID_RATE"] ?? 2e-3);

export const SETTINGS = { tasks: 4, group: 8, prompts: "rebuilt", history: 0, answerTokens: 4, learningRate: RATE } as const; // prettier-ignore

export const tasksOf = (env: Env, split: string, count: number): readonly Task[] => [
  ...(env.tasks(split, { count }) as Iterable<Task>),
];

/** Levels of this seed; worth the distance that is behind, or 1 where it is solved. */
export async function openGrid(seed: number, partialCredit: boolean): Promise<Env> {
  return await grid.create({ level: "walk", partialCredit, seed });
}

export async function writeWeakStart(folder: string, env: Env, seed: number, quick: boolean): Promise<void> {
  const shown = await wandered(env, quick ? 4 : SHOWN);
  const texts = shown.flatMap(({ prompt, answer }) => [prompt, answer]);
  const lesson = (rng: Rng): Lesson => shown[rng.int(shown.length)] as Lesson;
  await writeStart(folder, { seed, texts, size: SIZE, lessons: { batches: quick ? 1 : BATCHES, lesson } });
}

async function wandered(env: Env, count: number): Promise<Lesson[]> {
  const shown: Lesson[] = [];
  for (const task of tasksOf(env, "train", count)) {
    const wanderer = grid.demonstrators?.["wanderer"]?.start(task, createRng(task.id));
    const episode = await env.open(task);
    while (episode.ending === undefined) {
      const { observation: prompt } = episode;
      const answer = wanderer?.next({ action: undefined, observation: prompt, admissible: episode.admissible() }) ?? "";
      shown.push({ prompt, answer });
      await episode.step(answer);
    }
  }
  return shown;
}
