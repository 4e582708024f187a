/** FR3E: first episodes, then several continuations from each of the places where the policy was least sure of itself. */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { option } from "limbeck-base/base/option";
import { hasFailed, range } from "./ask.ts";
import { branching } from "./effect.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";
import { observedRound, ownTokens, pointAt } from "./own-tokens.ts";

export const fr3e = defineStrategy({
  info: {
    title: "First return, then explore (FR3E)",
    paper: "First Return, Entropy-Eliciting Explore, arXiv 2507.07017",
    confidence: "code",
    source:
      "Zheng0428/FR3E @ 509da704; verl/trainer/ppo/ray_trainer.py: separate_responses_str_by_prob, create_new_batch_data, fit; run_srpo_v6_adv.sh",
    formula: [
      "first return: `size` episodes; `bases` of those that succeeded and `bases` of those that failed are gone back to",
      "explore: from before each of the `places` least probable tokens of a base, `branches` continuations to the end",
    ],
    meaning: "Goes back to the least certain tokens of an episode and plays on from each of them several times.",
    departures: [
      "The source plays 4 first episodes (its configuration 1), keeps none of them, and plays 16 from the start and from each place; here first episodes are those from the start too, and there are 4 of each.",
      "Which credit compares the continuations of a place is chosen beside it: credit fr3e.",
      "Option anchors: entropy goes back to the tokens of largest entropy, which is our own. Where the policy does not score tokens, -ln p of each drawn token stands for it.",
      "Places that the world has ended behind, and the last token of an answer, are no places to go back to; in the source they are, and an answer of four tokens or fewer has one place.",
      "Published code spreads the episodes over devices between scoring and choosing, so that places are read from the probabilities of another episode, and cuts decoded text; here places are the episode's own, in tokens.",
      "An episode with a reward above 0 is a success there; here the world says what is.",
      "A continuation may write 3,072 tokens of its own there, within 4,096 for prompt and answer; here it has what its base had left of answerTokens at the place.",
      "Published code goes on with further tasks until places with unequal outcomes number 0.8 of the batch's tasks, and takes the places with equal outcomes out of the batch; here each task is played once, and all continuations go to the credit method.",
    ],
  },
  needs: ["fork", "tokens"],
  effect: branching,
  options: {
    size: option.count(4, "first episodes per task"),
    bases: option.count(1, "successes among them that are gone back to, and as many failures"),
    places: option.count(4, "tokens of an episode to go back to"),
    branches: option.count(4, "continuations from each"),
    anchors: option.choice(
      "probability",
      ["probability", "entropy"],
      "the least probable tokens, or the least certain",
    ),
  },
  create: ({ size, bases, places, branches, anchors }) => ({
    run: async (scope) => {
      await scope.each(
        scope.tasks,
        async (own, task) => {
          const walks: Walk[] = [];
          for (const member of range(size)) {
            const walk = await own.open(task, member, { bookmarks: true });
            if (walk !== undefined) walks.push(walk);
          }
          const doubts = await firstReturn(own, walks, anchors);
          const byEnd = groupedBy(walks, (walk) =>
            walk.success === true ? "right" : hasFailed(walk) ? "wrong" : undefined,
          );
          const chosen = [...byEnd.values()].flatMap((alike) => alike.slice(0, bases));
          const others: Walk[] = [];
          for (const walk of chosen) {
            for (const [place, { step, token, doubt }] of anchorsOf(walk, doubts).slice(0, places).entries()) {
              const info = { fr3e: { step, token, doubt } };
              for (const number of range(branches)) {
                const other = await walk.branchAt(pointAt({ step, token }), `${place}-${number}`, { info });
                if (other !== undefined) others.push(other);
              }
            }
          }
          await own.together(others, (other) => other.advance());
        },
        { walks: size + 2 * bases * places * branches },
      );
    },
  }),
});

interface Doubt {
  readonly step: number;
  readonly token: number;
  readonly doubt: number;
}

/** By walk and step. */
type Doubts = ReadonlyMap<Walk, ReadonlyMap<number, Float32Array>>;

/** Plays the episodes to their ends; how uncertain each token was. */
async function firstReturn(scope: Scope, walks: readonly Walk[], anchors: string): Promise<Doubts | undefined> {
  if (anchors === "probability") {
    await scope.together(walks, (walk) => walk.advance());
    return undefined;
  }
  const doubts = new Map(walks.map((walk) => [walk, new Map<number, Float32Array>()]));
  for (let open = walks; open.length > 0; open = open.filter(({ ending }) => ending === undefined)) {
    for (const observed of await observedRound(scope, open)) {
      if (observed.step !== undefined) doubts.get(observed.walk)?.set(observed.step.index, observed.doubts);
    }
  }
  return doubts;
}

/** Its places, the least certain first: by what was observed, else by how probable the token was. */
function anchorsOf(walk: Walk, doubts: Doubts | undefined): Doubt[] {
  return ownTokens(walk)
    .filter(({ last, token }) => !last || token === 0)
    .map(({ step, token, logprob }) => {
      const doubt = doubts === undefined ? -logprob : (doubts.get(walk)?.get(step)?.[token] ?? 0);
      return { step, token, doubt };
    })
    .toSorted((left, right) => right.doubt - left.doubt || left.step - right.step || left.token - right.token);
}
