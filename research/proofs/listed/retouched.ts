/** Retouch for the chooser: a reply is put together from six choices. The outcome alone, and the sum of examples/rewards/calls.yaml. */
import { areaUnder } from "limbeck/eval";
import { createRng } from "../../../packages/base/src/base/rng.ts";
import { mean } from "../../../packages/base/src/base/statistics/summary.ts";
import { scoreValue, scored } from "../../../packages/base/src/trajectory/score.ts";
import type { Task } from "../../../packages/base/src/trajectory/trajectory.ts";
import { grpo } from "../../../packages/core/src/credit/grpo.ts";
import { giveRewards } from "../../../packages/core/src/reward/give-rewards.ts";
import { toolMatch } from "../../../packages/core/src/reward/tool-match.ts";
import { retouch } from "../graded/own-worlds.ts";
import { chancesOf, drawn, noWeights, placesOf, push, type Choice, type Played, type Playing, type Reading, type Weights } from "./chooser.ts"; // prettier-ignore
import { learn, tasksOf, type Given } from "./learn.ts";
import type { Arms, Figures, Of } from "./study.ts";

interface Call {
  readonly name: string;
  readonly arguments: { readonly at: string; readonly by: number };
}

const SLOTS = {
  name: ["light", "tint", "edge"],
  at: ["sky", "face", "wall", "lawn", "sea"],
  by: ["-3", "-2", "-1", "1", "2", "3"],
} as const;
type Slot = keyof typeof SLOTS;
const WISHES = 2;
const { env } = retouch;

/** Which words stand in the first wish and which in the second; each slot has a table of its own. */
const wordsOf = ({ goal }: Task): readonly string[] =>
  goal.split(" and ").flatMap((wish, at) => (wish.toLowerCase().match(/[a-z]+/g) ?? []).map((word) => `${at} ${word}`));

const slotPlaces = (task: Task, wish: number, slot: Slot): Int32Array[] =>
  SLOTS[slot].map((value) => placesOf(wordsOf(task), [`${wish} ${slot} ${value}`]));

async function reply(task: Task, name: string, { weights, rng, temperature }: Playing): Promise<Played> {
  const choices: Choice[] = [];
  const pick = (wish: number, slot: Slot): string => {
    const places = slotPlaces(task, wish, slot);
    const chances = chancesOf(weights, places, temperature);
    const taken = drawn(chances, rng);
    choices.push({ places, taken, chances });
    return SLOTS[slot][taken] as string;
  };
  const calls = Array.from({ length: WISHES }, (_, wish): Call => ({ name: pick(wish, "name"), arguments: { at: pick(wish, "at"), by: Number(pick(wish, "by")) } })); // prettier-ignore
  const episode = await env.open(task);
  const { observation, stateKey } = episode;
  const action = JSON.stringify(calls);
  const { valid, reward, info } = await episode.step(action);
  const steps = [{ index: 0, observation, stateKey, action, valid, reward, ...(info === undefined ? {} : { info }) }];
  const trajectory = { id: name, task, group: task.id, steps, streams: [], ending: episode.ending ?? "terminated", reward: scored(scoreValue(reward) ?? 0), success: episode.success, rewards: [], policy: { name: "chooser" } } as const; // prettier-ignore
  return { trajectory, choices: [choices] };
}

const rightArguments = (played: readonly Played[]): number =>
  mean(played.map(({ trajectory: { steps } }) => (steps[0]?.info?.["parts"] as { arguments?: number } | undefined)?.arguments ?? 0)); // prettier-ignore

/** Imitates right replies one by one until so much of what it then says is right. */
async function weakStart(seed: number, share: number): Promise<Weights> {
  const weights = noWeights();
  const rng = createRng(`start ${seed}`);
  const asked = tasksOf(env, "valid", 2_000, 60);
  for (const [at, task] of tasksOf(env, "train", 5_000, 1_500).entries()) {
    if (at % 20 === 0 && chanceOfRight(weights, asked) >= share) break;
    for (const [wish, call] of rightOf(task).entries()) {
      for (const slot of Object.keys(SLOTS) as Slot[]) {
        const places = slotPlaces(task, wish, slot);
        const taken = SLOTS[slot].indexOf(valueOf(call, slot) as never);
        push(weights, { places, taken, chances: chancesOf(weights, places) }, 0.02 * (0.5 + rng.float()));
      }
    }
  }
  return weights;
}

const rightOf = ({ data }: Task): readonly Call[] => data?.["goldCalls"] as unknown as readonly Call[];
const valueOf = (call: Call, slot: Slot): string => (slot === "name" ? call.name : String(call.arguments[slot]));

/** The exact chance of a right reply, mean over the tasks. */
const chanceOfRight = (weights: Weights, tasks: readonly Task[]): number =>
  mean(
    tasks.map((task) =>
      rightOf(task).reduce(
        (share, call, wish) =>
          (Object.keys(SLOTS) as Slot[]).reduce((own, slot) => {
            const chances = chancesOf(weights, slotPlaces(task, wish, slot));
            return own * (chances[SLOTS[slot].indexOf(valueOf(call, slot) as never)] as number);
          }, share),
        1,
      ),
    ),
  );

/** As in calls.yaml, where the form adds the same to every reply: all of them can be read. */
const summed = (played: readonly Played[]): Given[] => {
  const { rewards } = giveRewards(
    toolMatch,
    played.map(({ trajectory }) => trajectory),
  );
  return played.map(({ trajectory: { success } }, at) => {
    const match = rewards[at]?.find(({ step }) => step === undefined)?.score;
    return { outcome: Number(success === true) + 0.5 * (match?.kind === "scored" ? match.value : 0) };
  });
};

const START = 0.05;
const UPDATES = 40;
const reading: Reading = { context: wordsOf, action: (action) => [action] };

const by =
  (given?: (played: readonly Played[]) => Given[]) =>
  async ({ seed, split, quick, rate = 0.3 }: Of): Promise<Figures> => {
    const weights = await weakStart(seed, START);
    const held = tasksOf(env, split, 0, quick ? 4 : 100);
    const playing = { env, weights, reading, rng: createRng(`held ${seed}`) };
    const before = chanceOfRight(weights, held);
    const curve: { x: number; y: number }[] = [];
    const steps = quick ? 64 : UPDATES * 64;
    const measure = async (x: number): Promise<void> => {
      const played: Played[] = [];
      for (const task of held) played.push(await reply(task, task.id, playing));
      curve.push({ x, y: rightArguments(played) });
    };
    await learn({ weights, env, reading, seed, tasks: 8, group: 8, rate, steps, offset: 400 * (seed % 10), credit: grpo, every: steps / 4, measure, playing: reply, ...(given === undefined ? {} : { given }) }); // prettier-ignore
    return {
      "start, right": before,
      "area of right arguments": areaUnder(curve, { from: 0, to: steps }),
      "right arguments": curve.at(-1)?.y ?? Number.NaN,
      right: chanceOfRight(weights, held),
    };
  };

export const jarvisArms: Arms = { outcome: by(), summed: by(summed) };
