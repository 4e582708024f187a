/** What if: other ways on from a state that an episode has met, rolled out to the end and compared. */
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import { shuffle, type Rng } from "limbeck-base/base/rng";
import type { OptionValues } from "limbeck-base/base/option-table";
import { createForest } from "limbeck-base/trajectory/forest";
import { scoreValue } from "limbeck-base/trajectory/score";
import { wholeEpisode } from "limbeck-base/trajectory/whole-episode";
import { judgeFinished } from "../walk/judge.ts";
import { ask, eachMember, hasFailed, isOwnStep, range } from "./ask.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";

/** Steps in the order in which they are worth another look: lowest score first, then the earlier. Unscored ones are left out. */
export function byLowestScore(scores: readonly (number | null)[]): number[] {
  const known = [...scores.entries()].filter((entry): entry is [number, number] => entry[1] !== null);
  return known.toSorted(([at, left], [other, right]) => left - right || at - other).map(([step]) => step);
}

/** Mean log-probability of what was drawn at a step. */
function certainty(walk: Walk, step: number): number {
  const { logprobs = new Float32Array() } = walk.answer(step) ?? {};
  return logprobs.length === 0 ? 0 : logprobs.reduce((sum, value) => sum + value, 0) / logprobs.length;
}

const options = {
  size: option.count(4, "episodes per task"),
  alternatives: option.count(4, "other continuations from one state"),
  points: option.count(1, "states of an episode to go on from"),
  of: option.choice("failed", ["failed", "all"], "which episodes are looked at"),
  at: option.choice(
    "judge",
    ["judge", "uncertain", "random"],
    "steps with the lowest scores, with the least likely answers, or by lot",
  ),
  until: option.choice("end", ["end", "step"], "play an alternative to the end, or for one step alone (Memory-R2)"),
  from: option.choice("policy", ["policy", "corrector"], "who chooses the first action of an alternative"),
  below: option.limit(null, "with at: judge, steps are played otherwise only if they scored less", { most: 1 }),
  above: option.limit(
    null,
    "of the alternatives of a scored step only the best goes on, if its first step scores more",
    {
      most: 1,
    },
  ),
};

type Options = OptionValues<typeof options>;

export const counterfactual = defineStrategy({
  info: {
    title: "Counterfactual",
    paper: "Verified Critical Step Optimization for LLM Agents (CSO); Memory-R2 (LoGo-GRPO)",
    confidence: "code",
    source: "ahmedehabb/Memory-R2 @ 357b4ecc; src/verl/verl/rema_trainer/ppo/ray_trainer.py: fit (inner sampling)",
    formula: [
      "of an episode `points` steps are chosen: with the lowest step scores, least likely answers, or by lot",
      "from the very state before each, `alternatives` other continuations; a corrector may choose their first action (CSO)",
      "a step is critical and verified when the episode failed and an alternative succeeds",
      "with below and above (CSO): a step that scored < below, and of its alternatives the best one if it scores > above",
      "info.snapshot = {id: the state, reward: outcome, or that of the one step} of every alternative, for local groups (LoGo)",
    ],
    meaning: "Rolls out alternatives from states an episode has met, to see which step decided the outcome.",
    departures: [
      "Of CSO only the idea is here; what its code does stands with the recipe cso.",
      "LoGo draws a session with a chance of 0.25 to 0.5 (0 without its scripts), one rollout of it, right or wrong, and 4 alternatives that end with the session; here each failed episode has its own at its lowest-scored step, played to the end. Options of, at, until.",
      "With the defaults of its configuration published LoGo draws alternatives greedily (val_kwargs.do_sample is false); here they are sampled as episodes are.",
      "Without step scores, at: judge falls back on the least likely answers (by the mean log-probability of their tokens), and those on a lot. A step without a score has all its alternatives played, whatever above is; an episode without a score is not looked at.",
      "below and above are those of CSO's published code (0.5 and 0.6), set by the recipe cso. It scores candidates before it acts; here each is carried out in a copy of the world first, and the others stop there, unscored.",
      "An alternative of the policy that takes the original action again is kept: it is a fair sample of the local group, but it verifies nothing.",
    ],
  },
  needs: ["fork"],
  effect: {
    name: "counterfactuals",
    counts: "steps played otherwise",
    remedy: "No episode was one to look into: set strategy.of=all.",
    count: (episodes) => episodes.filter(({ parent }) => parent !== undefined).length,
  },
  options,
  create: (options) => ({
    run: async (scope) => {
      const { size, of } = options;
      checkCorrector(scope, options.from);
      const walks = 1 + (options.above === null ? options.alternatives : 1) * options.points;
      await eachMember(scope, { size, walks }, async (own, task, member) => {
        const walk = await own.open(task, member, { bookmarks: true });
        await walk?.advance();
        if (walk === undefined || walk.reward.kind !== "scored") return;
        if (of === "all" || hasFailed(walk)) await lookAgain(own, walk, options);
      });
    },
  }),
});

function checkCorrector({ corrector }: Scope, from: string): void {
  if (from === "policy" || corrector !== undefined) return;
  throw new EngineError(
    "needs-unmet",
    "counterfactual with from: corrector needs a corrector: who proposes a better action for a step; give it, or use from: policy.",
    { details: { missing: ["corrector"] } },
  );
}

async function lookAgain(scope: Scope, walk: Walk, options: Options): Promise<void> {
  const steps = chosenSteps(walk, options, scope.rng.split("steps")).slice(0, options.points);
  for (const step of steps) {
    const others = await branches(scope, walk, step, options);
    const going = await whoGoesOn(scope, walk, step, others, options);
    await scope.together(going, (other) => play(other, step, options.until));
    for (const other of others) {
      if (other.ending === undefined) await other.stop("alternative");
      const outcome = scoreValue(options.until === "end" ? other.reward : (other.steps[0]?.reward ?? other.reward));
      const first = other.steps[0]?.action;
      const verified = other.success === true && hasFailed(walk) && first !== walk.episode[step]?.action;
      other.note({
        counterfactual: { step, verified },
        ...(outcome === undefined ? {} : { snapshot: { id: `${walk.id}@${step}`, reward: outcome } }),
      });
    }
  }
}

async function play(other: Walk, step: number, until: Options["until"]): Promise<void> {
  await other.advance(({ depth }) => until === "step" && depth > step);
  // What the world says so far is kept, or the episode would have no place in a batch.
  if (other.ending === undefined) await other.stop("alternative", { scored: true });
}

/** All of them, or the best one if a judge likes it as much as is asked. */
async function whoGoesOn(
  scope: Scope,
  walk: Walk,
  step: number,
  others: readonly Walk[],
  { above, below }: Options,
): Promise<readonly Walk[]> {
  const original = walk.judgement?.stepScores?.[step] ?? null;
  if (above === null || original === null) return others;
  const scores = await scope.together(others, async (other) => {
    if (other.steps.length === 0) await other.step();
    return await firstStepScore(scope, walk, other, step);
  });
  for (const [at, other] of others.entries()) {
    const score = scores[at] ?? null;
    if (score !== null) other.note({ alternative: { original, score } });
  }
  const best = bestAlternative(original, scores, { below: below ?? Number.POSITIVE_INFINITY, above });
  return best === undefined ? [] : [others[best] as Walk];
}

/** One branch for each alternative; those of a corrector have taken its action already. */
async function branches({ corrector, signal }: Scope, walk: Walk, step: number, options: Options): Promise<Walk[]> {
  const opened: Walk[] = [];
  for (const number of range(options.alternatives)) {
    const better =
      options.from === "policy" || corrector === undefined
        ? undefined
        : await ask(walk, signal, (finished, askOptions) => corrector(finished, step, askOptions));
    if (options.from === "corrector" && better === undefined) break;
    const other = await walk.branchAt({ step }, `${step}-${number}`);
    if (other === undefined) break;
    opened.push(other);
    if (better !== undefined) await other.impose(better.action, "corrector");
  }
  return opened;
}

function chosenSteps(walk: Walk, { at, below }: Options, rng: Rng): number[] {
  const own = walk.steps.map(({ index }) => index).filter((step) => isOwnStep(walk, step));
  const stepScores = at === "judge" ? (walk.judgement?.stepScores ?? []) : [];
  const judged = byLowestScore(stepScores).filter((step) => isOwnStep(walk, step));
  if (judged.length > 0) return judged.filter((step) => below === null || (stepScores[step] as number) < below);
  const drawn = shuffle(own, rng);
  if (at === "random" || walk.answer(own[0] ?? 0) === undefined) return drawn;
  return own.toSorted((left, right) => certainty(walk, left) - certainty(walk, right) || left - right);
}

// CSO: of several first actions the one that a judge of steps likes best, where it likes the original one little.

interface Thresholds {
  /** The original scored less. */
  readonly below: number;
  /** The best alternative scores more. */
  readonly above: number;
}

/** The best of the alternatives, by index, if it is worth a continuation; of equals the first. */
export function bestAlternative(
  original: number,
  scores: readonly (number | null)[],
  { below, above }: Thresholds,
): number | undefined {
  if (original >= below) return undefined;
  let best: number | undefined;
  let most = Math.max(above, original);
  for (const [at, score] of scores.entries()) {
    if (score !== null && score > most) [best, most] = [at, score];
  }
  return best;
}

/** What the judge gives the first step of a branch that has taken it; null: no opinion. */
async function firstStepScore(
  { judge, signal, purse }: Scope,
  walk: Walk,
  branch: Walk,
  step: number,
): Promise<number | null> {
  if (judge === undefined || branch.steps[0]?.index !== step) return null;
  const trajectory = wholeEpisode(createForest([walk.trajectory(), branch.trajectory()]), branch.id);
  const { task, steps } = trajectory;
  const { stepScores } = await judgeFinished(judge, { task, trajectory, steps }, purse, signal);
  throwIfAborted(signal);
  return stepScores?.[step] ?? null;
}
