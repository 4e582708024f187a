/**
 * The sweep of the Practitioner's Guide (meow-tea-taro) for the chooser, in households: rewards of turns beside the outcome, by
 * algorithm; from tiny to larger houses; and a budget that is spent on demonstrations, on own steps, or on both.
 */
import { openEnv } from "limbeck";
import { sum } from "../../../packages/base/src/base/statistics/summary.ts";
import { assignCredit } from "../../../packages/core/src/credit/assign.ts";
import { gae } from "../../../packages/core/src/credit/gae.ts";
import { rloo } from "../../../packages/core/src/credit/rloo.ts";
import type { CreditRow } from "../../../packages/core/src/credit/row.ts";
import type { Env } from "../../../packages/core/src/env/env.ts";
import { giveRewards } from "../../../packages/core/src/reward/give-rewards.ts";
import { subgoals } from "../../../packages/core/src/reward/subgoals.ts";
import { noWeights, placesOf, type Played, type Weights } from "./chooser.ts";
import { played as playedOf, startOf, trained, type Trained } from "./errands.ts";
import { solved, type Given, type Learning } from "./learn.ts";
import { householdReading } from "./readings.ts";
import type { Figures, Of } from "./study.ts";

const STEPS = 5_000;
const SHOWN = 10;
/** A demonstrated step costs as much as so many own ones. */
const PRICE = 10;
/** Of the budget, where it is spent on both. */
const SHARE = 0.5;
const DEMONSTRATED = { by: "expert", passes: 10, rate: 0.05 } as const;
const HELD_OUT = 100;
const RATE = 0.05;
const VALUE_RATE = 0.1;
/** Steps of an expert's way through a tiny house. */
const WAY = 6;

/** What each step earned by the parts of the procedure, and the outcome. */
function earned(
  env: Env,
  played: readonly Played[],
): readonly { readonly steps: readonly number[]; readonly outcome: number }[] {
  const gold = ({ task }: Played["trajectory"]) => ({ subgoals: [...(env.procedure?.(task) ?? [])] });
  const { rewards } = giveRewards(subgoals, played.map(({ trajectory }) => trajectory), { givens: { gold } }); // prettier-ignore
  return played.map(({ trajectory: { steps, success } }, at) => ({
    outcome: Number(success === true),
    steps: steps.map((_, step) => {
      const score = rewards[at]?.find((one) => one.step === step)?.score;
      return score?.kind === "scored" ? score.value : 0;
    }),
  }));
}

const ofEpisodes = (env: Env): Partial<Learning> => ({
  given: (played): Given[] => earned(env, played).map(({ steps, outcome }) => ({ outcome: outcome + sum(steps) })),
});

/** PPO with one pass: GAE over the turns of an episode, and a linear critic that learns the returns. */
function critic(env: Env, dense: boolean): Partial<Learning> {
  const values: Weights = noWeights();
  const discount = { gamma: 0.99, lambda: 0.95 };
  const advantages = (played: readonly Played[]): readonly (readonly number[])[] => {
    const seen = played.map(({ trajectory: { task, steps } }) => {
      const before: string[] = [];
      return steps.map(({ observation, action }) => {
        const places = placesOf(householdReading.context(task, observation, before), ["value"]);
        before.push(action);
        return places;
      });
    });
    const valueOf = (places: Int32Array): number =>
      places.reduce((total, place) => total + (values[place] as number), 0);
    const known = earned(env, played);
    const rows = played.map(({ trajectory: { id, group, steps } }, at): CreditRow => {
      const { steps: own, outcome } = known[at] as (typeof known)[number];
      const rewards = own.map((value, step) => (dense ? value : 0) + (step === own.length - 1 ? outcome : 0));
      return { task: group, trajectory: id, step: 0, valid: true, mask: new Uint8Array(steps.length).fill(1), tokenRewards: Float64Array.from(rewards), values: Float64Array.from(seen[at] ?? [], valueOf) }; // prettier-ignore
    });
    const trajectories = new Map(played.map(({ trajectory: { id, success } }, at) => [id, { outcome: known[at]?.outcome ?? 0, success }])); // prettier-ignore
    const { advantages: found, returns } = assignCredit(gae, { rows, trajectories }, discount);
    for (const [at, episode] of seen.entries()) {
      for (const [step, places] of episode.entries()) {
        const missing = (returns?.[at]?.[step] ?? 0) - valueOf(places);
        for (const place of places) values[place] = (values[place] as number) + (VALUE_RATE * missing) / places.length;
      }
    }
    return found.map((own) => [...own]);
  };
  return { advantages };
}

/** What a run of errands comes to, from a start that has seen a few. */
async function run(
  of: Of,
  {
    dial = "tiny",
    rate,
    start,
    steps = STEPS,
    plan = () => ({}),
  }: {
    readonly dial?: "tiny" | "small";
    readonly rate: number;
    readonly start?: Weights;
    readonly steps?: number;
    readonly plan?: (env: Env) => Partial<Learning>;
  },
): Promise<Trained & { readonly weights: Weights }> {
  // prettier-ignore
  const { seed, split, quick } = of;
  const env = await openEnv("household", { dial });
  const size = { seed, split, looks: quick ? 2 : 30, held: quick ? 2 : HELD_OUT };
  return await trained(env, start ?? (await startOf(env, seed, SHOWN)), size, { rate: of.rate ?? rate, steps: quick ? 100 : steps, ...plan(env) }); // prettier-ignore
}

/** Rates with the outcome alone and with turns paid, each its own best in the pilots. */
const ALGORITHMS: Readonly<
  Record<
    string,
    { readonly rates: readonly [number, number]; readonly plan: (env: Env, dense: boolean) => Partial<Learning> }
  >
> = {
  // prettier-ignore
  grpo: { rates: [0.1, 0.02], plan: (env, dense) => (dense ? ofEpisodes(env) : {}) },
  rloo: { rates: [0.05, 0.1], plan: (env, dense) => ({ credit: rloo, ...(dense ? ofEpisodes(env) : {}) }) },
  ppo: { rates: [0.05, 0.1], plan: critic },
};

/** Each algorithm with the outcome alone and with turns paid beside it. */
export async function turnFigures(of: Of): Promise<Readonly<Record<string, Figures>>> {
  const [outcome, paid]: Record<string, number>[] = [{}, {}];
  for (const [name, { rates, plan }] of Object.entries(ALGORITHMS)) {
    for (const [figures = {}, dense] of [
      [outcome, false],
      [paid, true],
    ] as const) {
      const { area, after } = await run(of, { rate: rates[Number(dense)] as number, plan: (env) => plan(env, dense) });
      Object.assign(figures, { [`area, ${name}`]: area, [`success, ${name}`]: after });
    }
  }
  return { outcome: outcome ?? {}, "turns paid": paid ?? {} };
}

/** Success in small houses: before, after a training in tiny ones, after one in small ones. */
export async function transferFigures(of: Of): Promise<Readonly<Record<string, Figures>>> {
  const env = await openEnv("household", { dial: "small" });
  const start = await startOf(await openEnv("household", { dial: "tiny" }), of.seed, SHOWN);
  const inSmall = async (weights: Weights): Promise<Figures> => ({ "in small houses": solved(await playedOf(env, weights, of, of.quick ? 2 : HELD_OUT)) }); // prettier-ignore
  return {
    untrained: await inSmall(start),
    "trained in tiny houses": await inSmall((await run(of, { rate: RATE, start })).weights),
    "trained in small houses": await inSmall((await run(of, { dial: "small", rate: RATE, start })).weights),
  };
}

/** The same budget as demonstrations, as own steps, and as a share of the one and the rest of the other. */
export async function budgetFigures(of: Of): Promise<Readonly<Record<string, Figures>>> {
  const { seed, quick } = of;
  const env = await openEnv("household", { dial: "tiny" });
  const shown = (share: number): number => (quick ? 2 : Math.round((share * STEPS) / PRICE / WAY));
  const taught = async (share: number): Promise<Weights> => await startOf(env, seed, shown(share), DEMONSTRATED);
  const alone = solved(await playedOf(env, await taught(1), of, quick ? 2 : HELD_OUT));
  const own = async (start: Weights, steps: number, rate: number): Promise<Figures> => ({ "at equal budget": (await run(of, { rate, start, steps })).after }); // prettier-ignore
  return {
    mixed: await own(await taught(SHARE), (1 - SHARE) * STEPS, 0.02),
    demonstrations: { "at equal budget": alone },
    "own steps": await own(noWeights(), STEPS, RATE),
  };
}
