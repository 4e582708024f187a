/** Trajectories without an outcome, what is said of them later, and what every reader of the store then tells. */
import { openStore } from "../../packages/store/src/store/open-store.ts";
import type { Store } from "../../packages/store/src/store/store.ts";
import { scored, unscored } from "../../packages/base/src/trajectory/score.ts";
import type { Reward, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { sampleTrajectory } from "./samples.ts";
import { collect } from "./stores.ts";

export const bare = (id: string, more: Partial<Trajectory> = {}): Trajectory =>
  sampleTrajectory(id, { success: null, reward: unscored("no outcome yet"), ...more });

export const said = (name: string, value: number, more: Partial<Reward> = {}): Reward => ({
  name,
  source: "person",
  score: scored(value),
  ...more,
});

export async function say(store: Store, run: string, id: string, ...rewards: Reward[]): Promise<void> {
  const writer = await store.openRun(run);
  for (const reward of rewards) await writer.addReward(id, reward);
  await writer.close();
}

export async function fill(store: Store, run: string, ...trajectories: Trajectory[]): Promise<void> {
  const writer = await store.createRun({ id: run });
  for (const trajectory of trajectories) await writer.append(trajectory);
  await writer.close();
}

/** What a reader tells of a trajectory: the cells of `COLUMNS`. */
export type Told = readonly [
  run: string,
  id: string,
  success: boolean | null,
  reward: number | null,
  unscored: string | null,
];

export const COLUMNS = "run, id, success, reward, unscored";

export async function bySql(store: Store, run?: string): Promise<unknown> {
  return (await store.query(`select ${COLUMNS} from trajectories`, run === undefined ? {} : { run })).rows;
}

export const cells = ({ id, success, reward }: Trajectory, run: string): Told => [
  run,
  id,
  success,
  reward.kind === "scored" ? reward.value : null,
  reward.kind === "unscored" ? reward.why : null,
];

export async function whole(store: Store): Promise<Told[]> {
  const told: Told[] = [];
  for (const { id: run } of await store.runs()) {
    for (const one of await collect(store.trajectories({ run }))) told.push(cells(one, run));
  }
  return told;
}

/** By SQL, by the list of a store that stays open, and whole; all must tell the same, in stored order. */
export async function everyReader(store: Store): Promise<unknown[]> {
  const kept = openStore(store.root, { keepOpen: true });
  const listed = await kept.list(`select ${COLUMNS} from listed order by run, place`);
  await kept.close();
  return [await bySql(store), listed.rows, await whole(store)];
}
