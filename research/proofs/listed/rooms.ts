/** The grid for the chooser, from nothing: tiers beside pass or fail (SSL), values from random play (ProAct), medians (MC-GRPO). */
import { areaUnder } from "limbeck/eval";
import { createRng } from "../../../packages/base/src/base/rng.ts";
import { mean } from "../../../packages/base/src/base/statistics/summary.ts";
import { scoreValue } from "../../../packages/base/src/trajectory/score.ts";
import { grpo } from "../../../packages/core/src/credit/grpo.ts";
import { mcGrpo } from "../../../packages/core/src/credit/mc-grpo.ts";
import { mcCritic } from "../../../packages/core/src/credit/mc-critic.ts";
import { ssl } from "../../../packages/core/src/credit/ssl.ts";
import type { Env, Episode } from "../../../packages/core/src/env/env.ts";
import grid from "../../new-worlds/grid.ts";
import { noWeights, type Played } from "./chooser.ts";
import { learn, solved, successOf, tasksOf, type Crediting, type Given, type Update } from "./learn.ts";
import { gridReading } from "./readings.ts";
import type { Figures, Of } from "./study.ts";

const SIZES = { tasks: 4, group: 8 } as const;
const HELD_OUT = 200;
/** Success over a stretch of so many episodes whose first time is told. */
const TARGET = 0.8;
const STRETCH = 96;

const open = async (seed: number, partialCredit: boolean): Promise<Env> => await grid.create({ level: "walk", partialCredit, seed }); // prettier-ignore

/** Episodes before the first stretch of so many whose mean is the target; all of them where there was none. */
function episodesTo(curve: readonly Update[], episodes: number): number {
  const stretch = Math.ceil(STRETCH / episodes);
  const at = curve.findIndex((_, from) => from + stretch <= curve.length && mean(curve.slice(from, from + stretch).map(({ success }) => success)) >= TARGET); // prettier-ignore
  return episodes * (at < 0 ? curve.length : at);
}

interface Arm extends Crediting {
  readonly tasks?: number;
  readonly group?: number;
  readonly env: Env;
  readonly rate: number;
  readonly look?: (episode: Episode) => Promise<void>;
}

async function run({ env, rate, ...arm }: Arm, { seed, split, quick }: Of, steps: number): Promise<Figures> {
  const weights = noWeights();
  const reading = gridReading;
  const sizes = { tasks: arm.tasks ?? SIZES.tasks, group: arm.group ?? SIZES.group };
  const episodes = sizes.tasks * sizes.group;
  const most = quick ? 200 : steps;
  const curve = await learn({ weights, env, reading, seed, rate, steps: most, offset: 0, ...arm, ...sizes });
  const held = await successOf(tasksOf(env, split, 0, quick ? 4 : HELD_OUT), { env, weights, reading, rng: createRng(`held ${seed}`) }); // prettier-ignore
  return {
    area: areaUnder(curve.map(({ x, success }) => ({ x, y: success })), { from: 0, to: most }), // prettier-ignore
    success: solved(held),
    [`episodes to ${TARGET}`]: episodesTo(curve, episodes),
    reached: Number(episodesTo(curve, episodes) < episodes * curve.length),
    "empty groups": mean(curve.map(({ metrics }) => (metrics["equalGroups"] ?? 0) / sizes.tasks)),
    updates: curve.length,
  };
}

/** What an episode is worth by the world: with partial credit the distance that is behind. */
const worth = (played: readonly Played[]): Given[] => played.map(({ trajectory: { reward } }) => ({ outcome: scoreValue(reward) ?? 0 })); // prettier-ignore

export const sslArms = {
  // The same credit with nothing between the start and the goal.
  "pass or fail": async (of: Of) => await run({ env: await open(of.seed, true), rate: of.rate ?? 0.3, tasks: 2, group: 4, credit: ssl, options: { tiers: 1 }, given: worth }, of, 4_000), // prettier-ignore
  tiers: async (of: Of) => await run({ env: await open(of.seed, true), rate: of.rate ?? 0.3, tasks: 2, group: 4, credit: ssl, given: worth }, of, 4_000), // prettier-ignore
};

const GAMMA = 0.9;

/** What a state is worth: the mean of so many random ways on, a later success worth less. */
async function valueOf(world: Episode, plays: number, name: string): Promise<number> {
  const rng = createRng(name);
  let won = 0;
  for (let play = 0; play < plays; play += 1) {
    const copy = await world.fork();
    let moves = 0;
    for (; copy.ending === undefined; moves += 1) {
      const listed = copy.admissible() ?? [];
      await copy.step(listed[rng.int(listed.length)] ?? "");
    }
    won += copy.success === true ? GAMMA ** (moves - 1) : 0;
    await copy.close();
  }
  return won / plays;
}

const byPlays =
  (plays: number) =>
  async (of: Of): Promise<Figures> => {
    // In the order in which steps are played, which is that of the rows.
    let values: number[] = [];
    let looked = 0;
    const look = async (episode: Episode): Promise<void> => void values.push(await valueOf(episode, plays, `${of.seed} ${looked++}`)); // prettier-ignore
    const given = (played: readonly Played[]): Given[] => {
      const own = values;
      values = [];
      let at = 0;
      return played.map(({ trajectory }) => ({
        outcome: Number(trajectory.success === true),
        rows: trajectory.steps.map(() => ({ signals: { stateValue: { before: own[at++] as number } } })),
      }));
    };
    return await run({ env: await open(of.seed, false), rate: of.rate ?? 1, credit: mcCritic, options: { gamma: GAMMA }, given, look }, of, 2_500); // prettier-ignore
  };

const byOutcome =
  (rate: number) =>
  async (of: Of): Promise<Figures> =>
    await run({ env: await open(of.seed, false), rate: of.rate ?? rate, credit: grpo }, of, 2_500);

export const proactArms = { grpo: byOutcome(0.3), "grpo, slower": byOutcome(0.1), values: byPlays(16) };

/** Few rollouts a level: equal own steps, so that groups of two make half as many groups again. */
const few =
  (tasks: number, group: number, credit: Arm["credit"], rate = 0.3) =>
  async (of: Of): Promise<Figures> =>
    await run({ env: await open(of.seed, false), rate: of.rate ?? rate, tasks, group, credit }, of, 3_000);

export const medianArms = {
  "mean of two": few(12, 2, grpo, 1),
  "mean of three": few(8, 3, grpo),
  "median of three": few(8, 3, mcGrpo),
};
