/** Own ideas at every state of an episode, each carried out in a copy of the world and looked at for a few steps. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import { ask, eachMember, range } from "./ask.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";

const options = {
  size: option.count(1, "episodes per task, alternatives not counted"),
  by: option.choice("corrector", ["corrector", "policy"], "who walks the main line: an expert, or the policy"),
  count: option.count(8, "alternatives at one state"),
  depth: option.limit(1, "steps of an alternative; none: to the end", { least: 1, whole: true }),
  points: option.limit(null, "states of an episode, from the first on", { least: 1, whole: true }),
};

type Options = OptionValues<typeof options>;

export const alternatives = defineStrategy({
  info: {
    title: "Alternatives",
    paper: "Agent Learning via Early Experience; ProAct: Agentic Lookahead in Interactive Environments",
    confidence: "reading",
    source:
      "Early Experience: a third party's reading with the paper's equations 1 to 4, arXiv 2510.08558; no code is published",
    formula: [
      "the main line is walked by the corrector (an expert), or by the policy itself",
      "before each of its steps, `count` forks of the world in which the policy acts by itself for `depth` steps; 8 as in ALFWorld there",
      "a fork that has not ended by then is stopped, unscored",
    ],
    meaning: "Tries the policy's own ideas at every state of an episode, to see what would come of each.",
    departures: [
      "Early Experience visits the states of recorded demonstrations; here the demonstrator acts, and what it did is recorded as read.",
      "Ideas that are the expert's own action are not drawn anew: they are among the episodes, and no lesson is made of them.",
      "A corrector that has nothing to say leaves the rest of the episode to the policy.",
      "ProAct searches with MCTS; here all forks of a state are as deep. The search room has trees.",
    ],
  },
  needs: ["fork"],
  effect: {
    name: "alternatives",
    counts: "alternatives tried",
    remedy: "No state had another idea tried at it: raise strategy.count or strategy.points.",
    count: (episodes) => episodes.filter(({ parent }) => parent !== undefined).length,
  },
  options,
  create: (options) => ({
    run: async (scope) => {
      const { size, count } = options;
      if (options.by === "corrector" && scope.corrector === undefined) throw noCorrector();
      await eachMember(scope, { size, walks: 1 + count }, async (own, task, member) => {
        const walk = await own.open(task, member);
        if (walk !== undefined) await lookAround(own, walk, options);
      });
    },
  }),
});

async function lookAround(scope: Scope, walk: Walk, options: Options): Promise<void> {
  const { count, depth, points } = options;
  while (walk.ending === undefined) {
    if (points === null || walk.depth < points) {
      const others: Walk[] = [];
      for (const number of range(count)) {
        const other = await walk.fork(`${walk.depth}-${number}`);
        if (other === undefined) break;
        others.push(other);
      }
      const end = walk.depth + (depth ?? Number.POSITIVE_INFINITY);
      await scope.together(others, async (other) => {
        await other.advance(({ depth: reached }) => reached >= end);
        if (other.ending === undefined) await other.stop("alternative");
      });
    }
    if (!(await goOn(scope, walk, options.by))) return;
  }
}

/** One step of the main line; false when there will be no other. */
async function goOn({ corrector, signal }: Scope, walk: Walk, by: Options["by"]): Promise<boolean> {
  const { depth } = walk;
  const given =
    by === "policy" || corrector === undefined
      ? undefined
      : await ask(walk, signal, (finished, options) => corrector(finished, depth, options));
  const step = given === undefined ? await walk.step() : await walk.impose(given.action, "corrector");
  return step !== undefined;
}

function noCorrector(): EngineError {
  return new EngineError(
    "needs-unmet",
    "alternatives with by: corrector needs a corrector: who shows how the task is done; give it, or use by: policy.",
    { details: { missing: ["corrector"] } },
  );
}
