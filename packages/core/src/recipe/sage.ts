/** SAGE: chains of tasks with a library of skills; who wrote a skill shares in what came of it. */
import { mean } from "limbeck-base/base/statistics/summary";
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { choosingSettings } from "./choosing-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { collect } from "../update/collect.ts";
import { measure } from "../update/context.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";

/** What `strategy chain` notes of an episode. */
interface Link {
  readonly index: number;
  /** Skills that it began with. */
  readonly carried: number;
  readonly used: boolean;
  readonly reward: number;
}

function linkOf({ info }: Trajectory): Link | undefined {
  return info?.["chain"] as Link | undefined;
}

/** The episode with the reward of its chain in the place of the world's; one outside a chain, or unscored, stays as it is. */
export function withChainReward(episode: Trajectory): Trajectory {
  const link = linkOf(episode);
  return link === undefined || episode.reward.kind !== "scored" ? episode : { ...episode, reward: scored(link.reward) };
}

/** How often skills were there and were used, and how long the later tasks of chains took. */
export function chainMeasures(episodes: readonly Trajectory[]): Record<string, number> {
  const links = episodes.flatMap((episode) => {
    const link = linkOf(episode);
    if (link === undefined) return [];
    const tokens = episode.streams.reduce(
      (total, { mask }) => total + mask.reduce<number>((sum, on) => sum + on, 0),
      0,
    );
    return [{ ...link, tokens, steps: episode.steps.length, solved: episode.success === true }];
  });
  const offered = links.filter(({ carried }) => carried > 0);
  const later = links.filter(({ index }) => index > 0);
  return {
    "chain/links": links.length,
    "chain/offered": offered.length,
    "chain/reused": offered.filter(({ used }) => used).length,
    ...(offered.length === 0 ? {} : { "chain/reuseRate": mean(offered.map(({ used }) => Number(used))) }),
    ...(later.length === 0
      ? {}
      : {
          "chain/laterSteps": mean(later.map(({ steps }) => steps)),
          "chain/laterTokens": mean(later.map(({ tokens }) => tokens)),
          "chain/laterSolved": mean(later.map(({ solved }) => Number(solved))),
        }),
  };
}

export const sage = defineRecipe({
  info: {
    title: "SAGE",
    paper: "Reinforcement learning for self-improving agents with a skill library (SAGE)",
    confidence: "reading",
    source:
      "a third party's reading of the whole paper, arXiv 2512.17102; its repository amazon-science/SAGE could not be had",
    meaning:
      "Plays chains of related tasks with a library of skills, and rewards a skill that was used both where it was written and where it was used, if both were solved.",
    departures: [
      "Small models do not write: with answers listed a skill is the actions of a success, and `use NAME` is one of the listed answers. With answers free and strategy.write=agent the policy writes and calls skills itself, as published.",
      "Skills are lists of actions of the world, not programs; what differs between chains of one task is compared in groups of equal place, as in the strategy.",
      "Chains begin empty. With strategy.kept, which is ours, a task keeps its skills for its next visit; with tasks.pool tasks come back.",
      "A published answer without a program is worth -1; here an invalid answer has no price.",
    ],
  },
  credit: "grpo",
  // Without the deviation, over trajectories.
  creditDefaults: { normByStd: false, countTrajectoryOnce: true },
  strategy: { name: "chain", options: {} },
  settings: { answers: choosingSettings.answers },
  presets: { paper: { answers: "free", "strategy.write": "agent", learningRate: 1e-6 } },
  update: async (update) => {
    const played = await collect(update);
    measure(update, chainMeasures(played));
    const { rows } = await credit(update, played.map(withChainReward));
    await learn(update, rows, "clipped");
  },
});
