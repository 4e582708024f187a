/** Partial rollouts against whole groups: how long slots of the sampler stand idle, on a batch of skewed lengths. */
import { bootstrap } from "limbeck/eval";
import { createRng, type Task, type Trajectory } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { createHousehold } from "limbeck/env";
import { createStrategy, rollOut } from "limbeck/search";
import type { RollOutResult } from "../../packages/core/src/walk/line/roll-out.ts";
import { createNoisyAgent } from "./noisy-agent.ts";
import { shown } from "../shown.ts";
import type { Study } from "./study.ts";

const [SEEDS, TASKS, SIZE, ROLLOUTS, TICK] = [20, 8, 4, 3, 16] as const;
const NOISE = 0.5;

interface Outcome {
  /** Slot-tokens of the sampler: what it could have said, and what it said. */
  readonly offered: number;
  readonly said: number;
  readonly groups: number;
  /** Tokens that were said under an older version than the last of their episode. */
  readonly carried: number;
  readonly envSteps: number;
}

/**
 * All episodes are in flight at once, each in a slot that says one token at a time. A rollout lasts as long as its
 * longest slot; a slot whose episode is over, or that has none, is idle.
 */
async function series(strategyId: string, options: Readonly<Record<string, number>>, seed: number): Promise<Outcome> {
  const env = createHousehold({ dial: "small" });
  const strategy = createStrategy(strategyId, options);
  const sum = { offered: 0, said: 0, groups: 0, carried: 0, envSteps: 0 };
  for (let rollout = 0; rollout < ROLLOUTS; rollout += 1) {
    const tasks: Task[] = [
      ...(env.tasks("train", { offset: (seed * ROLLOUTS + rollout) * TASKS, count: TASKS }) as Iterable<Task>),
    ];
    const agent = createNoisyAgent({ noise: NOISE, version: rollout });
    const result = await rollOut({ env, agent, strategy, tasks, seed: `${seed} ${rollout}`, prefix: `${rollout}/` });
    const longest = longestSlot(result, strategy.save?.(), rollout);
    sum.offered += longest * TASKS * SIZE;
    sum.said += result.spent.sampledTokens;
    sum.groups += new Set(result.trajectories.map(({ group }) => group)).size;
    sum.envSteps += result.spent.envSteps;
    sum.carried += result.trajectories.reduce((total, one) => total + olderTokens(one), 0);
  }
  return sum;
}

/** Tokens of the longest slot in this rollout, from the versions of tokens. */
function longestSlot({ trajectories }: RollOutResult, saved: unknown, version: number): number {
  const kept =
    (saved as { readonly kept?: readonly { readonly members: readonly { readonly trajectory: Kept }[] }[] })?.kept ??
    [];
  const lengths = [
    ...trajectories.map(({ streams }) => ofVersion(streams, version)),
    ...kept.flatMap(({ members }) => members.map(({ trajectory }) => ofVersion(trajectory.streams, version))),
  ];
  return Math.max(...lengths);
}

interface Kept {
  readonly streams: readonly { readonly mask: ArrayLike<number>; readonly versions?: ArrayLike<number> }[];
}

function ofVersion(streams: Kept["streams"], version: number): number {
  let count = 0;
  for (const { mask, versions } of streams) {
    for (let at = 0; at < mask.length; at += 1) if (mask[at] === 1 && versions?.[at] === version) count += 1;
  }
  return count;
}

function olderTokens({ streams, policy }: Trajectory): number {
  return (
    streams.reduce((total, { mask }) => total + mask.reduce((sum, one) => sum + one, 0), 0) -
    ofVersion(streams, policy.version ?? 0)
  );
}

async function study(print: (line: string) => void): Promise<void> {
  print(
    `Household, dial small, the expert with noise ${NOISE}. ${SEEDS} seeds; each is a series of ${ROLLOUTS} rollouts with ${TASKS} new tasks, ${SIZE} episodes a task, ${TASKS * SIZE} slots of the sampler. Time is counted in tokens.\n`,
  );
  const whole: Outcome[] = [];
  const partly: Outcome[] = [];
  for (let seed = 0; seed < SEEDS; seed += 1) {
    whole.push(await series("group", { size: SIZE }, seed));
    partly.push(await series("partial", { size: SIZE, tick: TICK }, seed));
  }
  const rng = createRng("partial");
  const idle = ({ offered, said }: Outcome): number => 1 - said / offered;
  const idleEach = ({ offered, said, groups }: Outcome): number => (offered - said) / groups;
  const saved = partly.map((one, at) => 1 - idleEach(one) / idleEach(whole[at] as Outcome));
  print(
    "| strategy | idle share of slot time | idle slot-tokens a finished group | slot-tokens a finished group | finished groups | tokens of older versions | environment steps a group |",
  );
  print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const [name, found] of [
    ["group", whole],
    ["partial", partly],
  ] as const) {
    const cell = (value: (one: Outcome) => number, digits: number, scale = 1): string => {
      const values = found.map((one) => scale * value(one));
      return shown(
        mean(values),
        bootstrap(values, { rng: rng.split(`${name} ${digits} ${value(found[0] as Outcome)}`) }),
        digits,
      );
    };
    print(
      `| ${name} | ${cell(idle, 1, 100)}% | ${cell(idleEach, 0)} | ${cell(({ offered, groups }) => offered / groups, 0)} | ${cell(({ groups }) => groups, 1)} | ${cell(({ carried, said }) => carried / said, 1, 100)}% | ${cell(({ envSteps, groups }) => envSteps / groups, 0)} |`,
    );
  }
  print(
    `\nIdle time of \`partial\` a finished group, against \`group\`: ${shown(-100 * mean(saved), flipped(bootstrap(saved, { rng: rng.split("saved") })), 1)}%.\n`,
  );
}

function flipped({ low, high }: { readonly low: number; readonly high: number }): {
  readonly low: number;
  readonly high: number;
} {
  return { low: -100 * high, high: -100 * low };
}

export const partial: Study = { name: "partial", title: "Rollout strategies: partial", run: study };
