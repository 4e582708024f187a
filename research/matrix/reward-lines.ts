/**
 * How each reward runs in the matrix. Judges are scripts here, and say so: a turn is bad where the world answered that
 * nothing happened. Verifiers are the world's own verdict.
 */
import type { OptionValue } from "../../packages/base/src/base/option-table.ts";
import { parseAction } from "limbeck/env";
import type { RewardId } from "../../packages/core/src/reward/registry.ts";
import type { JsonObject, Step, Trajectory } from "limbeck";
import { allRewards } from "../all-methods.ts";
import type { RewardLine } from "./line.ts";

interface RewardSetting extends RewardLine {
  readonly supplied: string;
  readonly env?: string;
  readonly envOptions?: JsonObject;
  readonly settings?: Readonly<Record<string, OptionValue>>;
}

const NOTHING = "Nothing happens";

/** A reward alone, as the reward of trajectories. */
const alone = (
  use: RewardId,
  supplied: string,
  more: Partial<RewardSetting> & { readonly options?: Readonly<Record<string, unknown>>; readonly as?: string } = {},
): RewardSetting => ({
  plan: {
    rewards: [{ use, ...(more.options === undefined ? {} : { options: more.options }) }],
    reward: more.as ?? use,
  },
  givens: more.givens ?? (() => ({})),
  supplied,
  ...(more.env === undefined ? {} : { env: more.env }),
  ...(more.envOptions === undefined ? {} : { envOptions: more.envOptions }),
});

const scripted = "a scripted judge: a turn is bad where the world answered that nothing happened";

const SETTINGS: Readonly<Record<RewardId, RewardSetting>> = {
  autoregressive: alone("autoregressive", "the policy's own log-probabilities in the place of a reward model", {
    options: { perToken: true },
    givens: () => ({ scoreTokens: ownLogprobs }),
  }),
  components: {
    plan: {
      rewards: [
        { use: "outcome" },
        { use: "efficiency" },
        { use: "components", options: { weights: { outcome: 1, efficiency: 1 } } },
      ],
      reward: "components",
    },
    givens: () => ({}),
    supplied: "the rewards outcome and efficiency, added up",
  },
  critics: alone("critics", scripted, { givens: () => ({ judge: scriptedJudge }) }),
  efficiency: alone("efficiency", "nothing; it pays for short ways only, whether they succeed or not"),
  format: alone("format", "nothing; the part valid, since commands of this world have no tags", { as: "format.valid" }),
  improvement: alone("improvement", "the world's step rewards as qualities"),
  majority: alone("majority", "nothing; what most of a group ended with counts as right"),
  "motion-tags": alone(
    "motion-tags",
    "nothing; no world here has tracks, so that nothing is scored and nothing learned",
  ),
  outcome: alone("outcome", "the world"),
  "peak-retention": alone("peak-retention", "the world's step rewards as qualities"),
  process: alone("process", "a scripted scorer of steps: 1 for an action that the world understood", {
    givens: () => ({ scoreSteps: (_trajectory, steps) => steps.map(({ valid }) => Number(valid)) }),
  }),
  progress: alone("progress", "a scripted potential: 0.5 from the first thing picked up on", {
    options: { zeroAtEnd: false },
    givens: () => ({ potential: ({ trajectory, index }) => (hasPickedUp(trajectory, index) ? 0.5 : 0) }),
  }),
  "rubric-judge": alone("rubric-judge", scripted, {
    options: { samples: 1 },
    givens: () => ({ judge: scriptedJudge }),
  }),
  "step-rewards": alone("step-rewards", "the world's step rewards"),
  structure: alone("structure", "nothing; on tools, whose actions are JSON", {
    env: "tools",
    envOptions: { opening: "dialogue", reward: "partial" },
  }),
  subgoals: alone("subgoals", "two subgoals by hand: something is picked up, something is put down", {
    options: {
      subgoals: [
        { text: "You pick up", budget: 1 },
        { text: "You move", budget: 1 },
      ],
    },
  }),
  tiers: alone("tiers", "the world's reward, cut at 1"),
  "tool-match": alone("tool-match", "reference calls by the world's demonstrator", {
    env: "tools",
    envOptions: { opening: "dialogue", reward: "partial" },
    givens: (solve) => ({
      gold: ({ task }) => {
        const calls = (solve(task)?.plan ?? []).flatMap((action) => {
          const read = parseAction(action);
          return read.kind === "call" ? [{ name: read.name, arguments: read.arguments }] : [];
        });
        return { calls };
      },
    }),
  }),
  trace: alone("trace", "the world's verdict and the steps taken"),
  "turn-judge": alone("turn-judge", scripted, { options: { samples: 1 }, givens: () => ({ judge: scriptedJudge }) }),
  verifier: alone("verifier", "the world's verdict", { givens: () => ({ verify: ({ success }) => success }) }),
  "world-part": alone("world-part", "nothing; on countdown, the worth of near misses", {
    env: "countdown",
    envOptions: { level: "easy" },
    options: { of: "worth" },
  }),
};

export function rewardSetting(id: string): RewardSetting {
  const found = SETTINGS[id as RewardId];
  if (found === undefined) throw new Error(`The reward ${id} has no line in the matrix; add one to reward-lines.ts.`);
  return found;
}

export const rewardIds = Object.keys(allRewards);

function ownLogprobs({ streams }: Trajectory, { span }: Step): ArrayLike<number> {
  return (span === undefined ? undefined : streams[span.stream]?.logprobs?.subarray(span.start, span.end)) ?? [];
}

function hasPickedUp({ steps, closing }: Trajectory, index: number): boolean {
  const seen = [...steps.map(({ observation }) => observation), closing?.observation ?? ""];
  const first = steps[0]?.index ?? 0;
  return seen.slice(0, index - first + 1).some((text) => text.includes("You pick up"));
}

/** Reads the turns out of the question and answers by the rule above. */
export async function scriptedJudge(prompt: string): Promise<string> {
  const turns = [...prompt.matchAll(/^Turn (\d+) saw (.*)$/gm)].map(([, number = "", saw = ""]) => ({ number, saw }));
  const isBad = (at: number): boolean => turns[at + 1]?.saw.startsWith(`"${NOTHING}`) === true;
  if (prompt.includes('"faults"')) {
    return JSON.stringify({ faults: turns.flatMap(({ number }, at) => (isBad(at) ? [Number(number)] : [])) });
  }
  if (turns.length > 0) {
    return JSON.stringify(Object.fromEntries(turns.map(({ number }, at) => [number, isBad(at) ? 0 : 10])));
  }
  const steps = prompt.match(/\[\d+\] did: /g)?.length ?? 1;
  const vain = prompt.match(new RegExp(`saw: ${NOTHING}`, "g"))?.length ?? 0;
  return JSON.stringify({ success: Math.round(10 * Math.max(0, 1 - vain / steps)) });
}
