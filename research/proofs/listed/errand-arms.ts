/** Arms in households: pay for parts of the procedure (ProcVLM), guided starts (Step-GRPO), foretold difficulty (DOTS + RR). */
import { openEnv } from "limbeck";
import { createRng } from "../../../packages/base/src/base/rng.ts";
import { mean } from "../../../packages/base/src/base/statistics/summary.ts";
import { stepGrpo } from "../../../packages/core/src/credit/step-grpo.ts";
import type { Env } from "../../../packages/core/src/env/env.ts";
import { giveRewards } from "../../../packages/core/src/reward/give-rewards.ts";
import { subgoals } from "../../../packages/core/src/reward/subgoals.ts";
import { embed, expectedAccuracies } from "../../../packages/core/src/rollout/difficulty.ts";
import type { Guide, Played } from "./chooser.ts";
import { APART, demonstratorOf, startOf, trained } from "./errands.ts";
import { solved, successOf, tasksOf, type Given, type Learning } from "./learn.ts";
import { householdReading } from "./readings.ts";
import type { Arms, Figures, Of } from "./study.ts";

interface Place {
  readonly dial: "tiny" | "small" | "medium";
  /** Demonstrations that the start has read. */
  readonly shown: number;
  readonly rate: number;
  readonly steps: number;
}

const PLACE: Place = { dial: "tiny", shown: 10, rate: 0.05, steps: 5_000 };

const arm =
  (place: Place, plan: (env: Env) => Partial<Learning> = () => ({})) =>
  async ({ seed, split, quick, rate }: Of): Promise<Figures> => {
    const env = await openEnv("household", { dial: place.dial });
    const start = await startOf(env, seed, place.shown);
    const size = { seed, split, looks: quick ? 2 : 30, held: quick ? 2 : 100 };
    const { before, after, area, updates } = await trained(env, start, size, { rate: rate ?? place.rate, steps: quick ? 100 : place.steps, ...plan(env) }); // prettier-ignore
    return { before, area, success: after, updates };
  };

/** Success, and the share of the errand's procedure that was seen, as in examples/rewards/procedure.yaml. */
const paidByParts = (env: Env) => ({
  given: (played: readonly Played[]): Given[] => {
    const gold = ({ task }: Played["trajectory"]) => ({ subgoals: [...(env.procedure?.(task) ?? [])] });
    const { rewards } = giveRewards(subgoals, played.map(({ trajectory }) => trajectory), { givens: { gold } }); // prettier-ignore
    return played.map(({ trajectory: { success } }, at) => {
      const part = rewards[at]?.find(({ step }) => step === undefined)?.score;
      return { outcome: Number(success === true) + (part?.kind === "scored" ? part.value : 0) };
    });
  },
});

const LEVELS = 4;
const STRIDE = 2;

/** Two of eight episodes each begin after none, two, four and six steps of the expert; like is compared with like. */
const guidedStarts = (): Partial<Learning> => ({
  credit: stepGrpo,
  guide: (task, member): Guide | undefined => {
    const most = STRIDE * (member % LEVELS);
    if (most === 0) return undefined;
    const demonstration = demonstratorOf("expert").start(task, createRng(`guide ${task.id} ${member}`));
    return (episode, before) => before.length >= most ? undefined : demonstration.next({ action: before.at(-1), observation: episode.observation, admissible: episode.admissible() }); // prettier-ignore
  },
  given: (played: readonly Played[]): Given[] =>
    played.map(({ trajectory: { success, steps }, choices }) => ({
      outcome: Number(success === true),
      rows: steps.map(() => ({ signals: { guidedSteps: choices.filter((own) => own.length === 0).length } })),
    })),
});

export const errandArms: Arms = {
  outcome: arm(PLACE),
  parts: arm(PLACE, paidByParts),
  guided: arm({ ...PLACE, rate: 0.02 }, guidedStarts),
};

const KNOWN = 64;
const EPISODES = 12;

/** How well the success of tasks is foretold by that of others; control: the same with the known tasks' success dealt by lot. */
export async function difficultyFigures({ seed, split, quick }: Of): Promise<Readonly<Record<string, Figures>>> {
  const env = await openEnv("household", { dial: PLACE.dial });
  const weights = await startOf(env, seed, 60);
  const rng = createRng(`difficulty ${seed}`);
  const tasks = tasksOf(env, split, APART * seed, quick ? 20 : 2 * KNOWN);
  const shares: number[] = [];
  for (const task of tasks) {
    const same = Array.from({ length: quick ? 2 : EPISODES }, () => task);
    shares.push(solved(await successOf(same, { env, weights, reading: householdReading, rng })));
  }
  const half = tasks.length / 2;
  const vectors = tasks.map(({ goal }) => embed(goal));
  const foretold = (known: readonly number[]): number[] =>
    expectedAccuracies(vectors.slice(half), known.map((accuracy, at) => ({ vector: vectors[at] as number[], accuracy })), { temperature: 0.05 }); // prettier-ignore
  const lot = rng.split("lot");
  const dealt = shares.slice(0, half).map((accuracy) => ({ accuracy, at: lot.float() })).toSorted((one, other) => one.at - other.at).map(({ accuracy }) => accuracy); // prettier-ignore
  const asked = shares.slice(half);
  return {
    foretold: { correlation: correlation(foretold(shares.slice(0, half)), asked), success: mean(shares) },
    "by lot": { correlation: correlation(foretold(dealt), asked), success: mean(shares) },
  };
}

function correlation(left: readonly number[], right: readonly number[]): number {
  const [one, other] = [mean([...left]), mean([...right])];
  const sum = (of: (at: number) => number): number => left.reduce((total, _, at) => total + of(at), 0);
  const [a, b] = [(at: number) => (left[at] as number) - one, (at: number) => (right[at] as number) - other];
  const scale = Math.sqrt(sum((at) => a(at) ** 2) * sum((at) => b(at) ** 2));
  return scale === 0 ? 0 : sum((at) => a(at) * b(at)) / scale;
}
