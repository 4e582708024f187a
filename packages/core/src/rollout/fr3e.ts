/** FR3E: one episode first, then several continuations from each of the places where the policy was least sure of itself. */
import { option } from "limbeck-base/base/option";
import { eachMember, range } from "./ask.ts";
import { branching } from "./effect.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";
import { observedRound, ownTokens, pointAt } from "./own-tokens.ts";

export const fr3e = defineStrategy({
  info: {
    title: "First return, then explore (FR3E)",
    paper: "First Return, Entropy-Eliciting Explore, arXiv 2507.07017",
    confidence: "inferred",
    formula: [
      "first return: one episode; H of every token that it said",
      "explore: from before each of the `places` tokens with the largest H, `branches` continuations to the end",
    ],
    meaning: "Goes back to the least certain tokens of an episode and plays on from each of them several times.",
    departures: [
      "Only the episodes are made here; which credit compares the continuations of a place is chosen beside it (tree credit fits).",
      "Where the policy does not score tokens, -ln p of each drawn token stands for its entropy.",
      "Places that the world has ended behind, and the last token of an answer, are no places to go back to.",
    ],
  },
  needs: ["fork", "tokens"],
  effect: branching,
  options: {
    size: option.count(1, "first episodes per task"),
    places: option.count(3, "tokens of an episode to go back to"),
    branches: option.count(2, "continuations from each"),
  },
  create: ({ size, places, branches }) => ({
    run: async (scope) => {
      await eachMember(scope, { size, walks: 1 + places * branches }, async (own, task, member) => {
        const walk = await own.open(task, member, { bookmarks: true });
        if (walk === undefined) return;
        const others: Walk[] = [];
        for (const [place, { step, token, doubt }] of (await firstReturn(own, walk)).slice(0, places).entries()) {
          const info = { fr3e: { step, token, doubt } };
          for (const number of range(branches)) {
            const other = await walk.branchAt(pointAt({ step, token }), `${place}-${number}`, { info });
            if (other !== undefined) others.push(other);
          }
        }
        await own.together(others, (other) => other.advance());
      });
    },
  }),
});

interface Doubt {
  readonly step: number;
  readonly token: number;
  readonly doubt: number;
}

/** Plays the episode to its end; its places, the least certain first. */
async function firstReturn(scope: Scope, walk: Walk): Promise<Doubt[]> {
  const doubts = new Map<number, Float32Array>();
  while (walk.ending === undefined) {
    const [observed] = await observedRound(scope, [walk]);
    if (observed?.step !== undefined) doubts.set(observed.step.index, observed.doubts);
  }
  return ownTokens(walk)
    .filter(({ last, token }) => !last || token === 0)
    .map(({ step, token }) => ({ step, token, doubt: doubts.get(step)?.[token] ?? 0 }))
    .toSorted((left, right) => right.doubt - left.doubt || left.step - right.step || left.token - right.token);
}
