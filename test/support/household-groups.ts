/** Groups of household episodes played by weak demonstrators, as trajectories; for tests of what can be learnt from them. */
import { createRng } from "../../packages/base/src/base/rng.ts";
import { createHousehold } from "../../packages/worlds/src/household/household.ts";
import { createWanderer, guesser, withNoise } from "../../packages/worlds/src/household/demonstrators.ts";
import type { DialName } from "../../packages/worlds/src/household/dial.ts";
import type { Demonstrator } from "../../packages/core/src/env/expert.ts";
import type { Env } from "../../packages/core/src/env/env.ts";
import type { Step, Task, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

export interface GroupsOptions {
  readonly dial: DialName;
  readonly tasks: number;
  readonly rollouts: number;
  readonly split?: string;
  /** "world": the world's own keys; "observation": what the agent sees, nothing else. */
  readonly keys: "world" | "observation";
}

/** Wanderers and guessers by turns, with slips of the hand, so that groups hold successes and failures of many kinds. */
export async function householdGroups(
  options: GroupsOptions,
): Promise<{ readonly env: Env; readonly groups: readonly Trajectory[][] }> {
  const env = createHousehold({ dial: options.dial });
  const players = [withNoise(guesser, 0.15), withNoise(createWanderer(), 0.15)];
  const groups: Trajectory[][] = [];
  for (const task of env.tasks(options.split ?? "train", { count: options.tasks }) as Iterable<Task>) {
    const group: Trajectory[] = [];
    for (let at = 0; at < options.rollouts; at += 1) {
      group.push(await play(env, task, at, players[at % players.length] as Demonstrator, options.keys));
    }
    groups.push(group);
  }
  return { env, groups };
}

async function play(
  env: Env,
  task: Task,
  at: number,
  player: Demonstrator,
  keys: GroupsOptions["keys"],
): Promise<Trajectory> {
  const episode = await env.open(task);
  const demonstration = player.start(task, createRng(`${task.id} ${at}`));
  const steps: Step[] = [];
  while (episode.ending === undefined) {
    const { observation } = episode;
    const stateKey = keys === "world" ? episode.stateKey : observation;
    const action = demonstration.next({
      action: steps.at(-1)?.action,
      observation,
      admissible: episode.admissible(),
    });
    const { reward, valid } = await episode.step(action);
    steps.push({ index: steps.length, observation, stateKey, action, valid, reward });
  }
  const { ending, success, reward, observation } = episode;
  await episode.close();
  return {
    id: `${task.id} ${at}`,
    task,
    group: task.id,
    steps,
    streams: [],
    ending,
    reward,
    success,
    rewards: [],
    policy: { name: player.id },
    closing: { observation },
  };
}

/** Whether the actions, carried out from the start, solve the task. */
export async function solves(env: Env, task: Task, actions: readonly string[]): Promise<boolean> {
  const episode = await env.open(task);
  for (const action of actions) if (episode.ending === undefined) await episode.step(action);
  const { success } = episode;
  await episode.close();
  return success === true;
}
