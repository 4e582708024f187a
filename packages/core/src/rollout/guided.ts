/** Step-GRPO's rollouts: some episodes begin part of the way, with steps that another has chosen. */
import { option } from "limbeck-base/base/option";
import { withoutUndefined } from "limbeck-base/base/fields";
import { ask, eachMember } from "./ask.ts";
import { mixedShare, notedEpisodes } from "./effect.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";

export const guided = defineStrategy({
  info: {
    title: "Guided starts (Step-GRPO)",
    paper: "EmbodiedBrain: Expanding Performance Boundaries of Task Planning for Embodied Intelligence",
    confidence: "reading",
    source: "public notes on arXiv 2510.20578: some rollouts begin with a random part of the right plan",
    formula: [
      "episode m of a task begins with stride * (m mod levels) steps of the corrector; the policy goes on from there",
      "info.guidedSteps says how many it was given",
    ],
    meaning: "Starts some episodes of a task part of the way, so that long tasks are solved at all.",
    departures: [
      "As readers have it, the published beginning is of random length; going round in levels of stride steps is ours.",
      "The given steps are carried out in the world and recorded as read (mask 0), not told in the prompt.",
      "A corrector that has nothing to say ends the guidance early.",
    ],
  },
  needs: ["corrector"],
  effect: {
    name: "guidedEpisodes",
    counts: "episodes begun part of the way",
    remedy: "The corrector had nothing to say, or strategy.levels is 1.",
    count: notedEpisodes("guidedSteps", isGuided),
    // Whether given steps make groups that differ, where whole episodes all end alike.
    further: (episodes) => {
      const guidedOnes = episodes.filter(({ info }) => isGuided(info?.["guidedSteps"]));
      const whole = episodes.filter(({ info }) => !isGuided(info?.["guidedSteps"]));
      return withoutUndefined({ mixedGuided: mixedShare(guidedOnes), mixedFull: mixedShare(whole) });
    },
  },
  options: {
    size: option.count(8, "episodes per task"),
    levels: option.count(4, "different numbers of given steps, from 0"),
    stride: option.count(1, "steps between two levels"),
  },
  create: ({ size, levels, stride }) => ({
    run: async (scope) => {
      await eachMember(scope, { size }, async (own, task, member) => {
        const walk = await own.open(task, member);
        if (walk === undefined) return;
        await guide(own, walk, (member % levels) * stride);
        walk.note({ guidedSteps: walk.depth });
        await walk.advance();
      });
    },
  }),
});

function isGuided(steps: unknown): boolean {
  return typeof steps === "number" && steps > 0;
}

async function guide({ corrector, signal }: Scope, walk: Walk, steps: number): Promise<void> {
  if (corrector === undefined) return;
  while (walk.depth < steps && walk.ending === undefined) {
    const { depth } = walk;
    const better = await ask(walk, signal, (finished, options) => corrector(finished, depth, options));
    if (better === undefined) return;
    await walk.impose(better.action, "corrector");
  }
}
