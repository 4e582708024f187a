/** The worlds that the writer writes for, and episodes in them by agents that know some of what is right. */
import { pick } from "../../packages/base/src/base/rng.ts";
import { type Rng, createRng, openEnv, scored, type Env, type Step, type Task, type Trajectory } from "limbeck";
import { getWorld, type Demonstrator } from "limbeck/env";
import type { Demonstration } from "../../packages/core/src/env/expert.ts";
import { bundledStart } from "../../packages/policy/src/policy/starts.ts";

export interface WriterWorld {
  readonly id: string;
  readonly env: Env;
  /** The expert first. */
  readonly demonstrators: readonly Demonstrator[];
  /** What the expert would do can be told from the record; a sum must be found by trying. */
  readonly tellable: boolean;
  /** Longest episode that is written about. */
  readonly longest: number;
}

const IDS = ["household", "shop", "tools", "research", "countdown", "archive", "draft", "emit", "ledger", "talk"];
/** A puzzle's answer is not in its record. */
const NOT_TELLABLE: ReadonlySet<string> = new Set(["countdown"]);
const LONGEST = 14;

export async function openWorlds(ids: readonly string[] = IDS): Promise<WriterWorld[]> {
  return await Promise.all(
    ids.map(async (id) => {
      const env = await openEnv(id, { ...bundledStart(id)?.worldOptions });
      const demonstrators = Object.values({ ...(await getWorld(id)).demonstrators, ...env.demonstrators });
      return { id, env, demonstrators, tellable: !NOT_TELLABLE.has(id), longest: Math.min(env.maxSteps, LONGEST) };
    }),
  );
}

/** One task of a split, by its number; numbers beyond the split begin again. */
export async function taskAt({ env }: WriterWorld, split: string, number: number): Promise<Task> {
  const size = env.splits[split] ?? Number.POSITIVE_INFINITY;
  const offset = Number.isFinite(size) ? number % size : number;
  for await (const task of env.tasks(split, { offset, count: 1 })) return task;
  throw new Error(`${env.id} has no task ${offset} in ${split}`);
}

/** Chances of a blunder at a step; each episode draws one. */
const BLUNDERS = [0, 0.1, 0.25, 0.45, 0.8];

/** One that starts like one of the demonstrators and blunders now and then: planted errors, each different. */
function startMixed({ demonstrators }: WriterWorld, task: Task, rng: Rng): Demonstration {
  const [expert] = demonstrators as [Demonstrator, ...Demonstrator[]];
  const lead = rng.float() < 0.6 ? expert : (pick(demonstrators, rng) as Demonstrator);
  const main = lead.start(task, rng);
  const weak = (pick(demonstrators, rng) as Demonstrator).start(task, rng);
  const chance = pick(BLUNDERS, rng) as number;
  const said: string[] = [];
  return {
    next: (seen) => {
      const right = attempt(() => main.next(seen)) ?? said.at(-1) ?? "look";
      const other = attempt(() => weak.next(seen));
      const action = rng.float() >= chance ? right : blunder(right, other, seen.admissible, said, rng);
      said.push(action);
      return action;
    },
  };
}

function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function blunder(
  right: string,
  other: string | undefined,
  admissible: readonly string[] | undefined,
  said: readonly string[],
  rng: Rng,
): string {
  const draw = rng.float();
  if (admissible !== undefined && admissible.length > 0 && draw < 0.6) return pick(admissible, rng) as string;
  if (other !== undefined && other !== right && draw < 0.75) return other;
  if (said.length > 0 && draw < 0.85) return pick(said, rng) as string;
  return damaged(right, rng);
}

/** A number becomes another one, or a word is lost. */
function damaged(action: string, rng: Rng): string {
  const numbers = [...action.matchAll(/\d+/g)];
  if (numbers.length > 0 && rng.float() < 0.7) {
    const { index, 0: digits } = pick(numbers, rng) as RegExpMatchArray & { index: number };
    return `${action.slice(0, index)}${Number(digits) + 1 + rng.int(3)}${action.slice(index + digits.length)}`;
  }
  const words = action.split(" ");
  words.splice(rng.int(words.length), 1);
  return words.join(" ") || "look";
}

/** Plays one episode and keeps it as a trajectory. */
export async function playEpisode(world: WriterWorld, task: Task, name: string): Promise<Trajectory> {
  const demonstration = startMixed(world, task, createRng(`${name} ${task.id}`));
  const episode = await world.env.open(task);
  const steps: Step[] = [];
  try {
    let action: string | undefined;
    while (episode.ending === undefined && steps.length < world.longest) {
      const { observation, stateKey } = episode;
      action = oneLine(demonstration.next({ action, observation, admissible: episode.admissible() }));
      const { valid, reward } = await episode.step(action);
      steps.push({ index: steps.length, observation, stateKey, action, valid, reward });
    }
    return {
      id: name,
      task,
      group: task.id,
      steps,
      streams: [],
      ending: episode.ending ?? "truncated",
      reward: episode.reward.kind === "scored" ? episode.reward : scored(0),
      success: episode.success ?? false,
      rewards: [],
      policy: { name: "mixed" },
      closing: { observation: episode.observation },
    };
  } finally {
    await episode.close();
  }
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
