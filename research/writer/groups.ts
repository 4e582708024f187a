/** Groups of episodes: of the models that come with the package where a world has one, or of agents with planted errors. */
import { rollout, type Trajectory } from "limbeck";
import { groupedBy } from "../../packages/base/src/base/grouped-by.ts";
import { bundledStart } from "../../packages/policy/src/policy/starts.ts";
import { oneLine, playEpisode, taskAt, type WriterWorld } from "./worlds.ts";

const GROUP = 4;

export function hasModel({ id }: WriterWorld): boolean {
  return bundledStart(id) !== undefined;
}

/** As a user's groups come about. */
export async function modelGroups(
  { id }: WriterWorld,
  { split, offset, tasks }: { readonly split: string; readonly offset: number; readonly tasks: number },
): Promise<Trajectory[][]> {
  const seed = `writer ${split} ${offset}`;
  const { trajectories } = await rollout({ env: id, split, offset, tasks, group: GROUP, seed, threads: 1 });
  const groups = groupedBy(trajectories, ({ task }) => task.id);
  return [...groups.values()].map((group) =>
    group.map((one) => ({ ...one, steps: one.steps.map((step) => ({ ...step, action: oneLine(step.action) })) })),
  );
}

export async function plantedGroup(
  world: WriterWorld,
  { split, number, name }: { readonly split: string; readonly number: number; readonly name: string },
): Promise<Trajectory[]> {
  const task = await taskAt(world, split, number);
  const group: Trajectory[] = [];
  for (let at = 0; at < GROUP; at += 1) group.push(await playEpisode(world, task, `${name} ${at}`));
  return group;
}
