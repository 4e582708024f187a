/** Generator, detector, reflector: a judge that is led round by round to the faults it does not see (principle-guided judge). */
import { createRng, drawWeighted } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { createTabularPolicy } from "limbeck-policy/policy/tabular/tabular-policy";
import type { Objective } from "limbeck-policy/policy/objective";
import { defineJudging } from "./judging.ts";
import { FAULTS, plant, plantedText, plantMany, type PlantedFault, type Planted } from "./planted.ts";
import { createWordJudge, type LabelledText, type WordJudge } from "./word-judge.ts";

/** What the reflector may find a bad sample to differ in. */
const PRINCIPLES: readonly {
  readonly text: string;
  readonly differs: (one: Planted) => boolean;
}[] = [
  {
    text: "Money leaves the account that had it and goes to the one that gets it, not the other way round.",
    differs: ({ right, given }) => given.from === right.to && given.to === right.from,
  },
  {
    text: "The account that money leaves is the one that the event names.",
    differs: ({ right, given }) => given.from !== right.from && given.to === right.to,
  },
  {
    text: "The account that money goes to is the one that the event names.",
    differs: ({ right, given }) => given.to !== right.to && given.from === right.from,
  },
  {
    text: "The amount is the one that the event states.",
    differs: ({ right, given }) => given.amount !== right.amount,
  },
];

export const principleRounds = defineJudging({
  info: {
    title: "Principle-guided judge",
    meaning:
      "A generator makes bad samples that pass the judge, a reflector puts what they have in common into a principle, and the judge learns those that break it.",
    paper: "Principle-guided LLM judge vs multi-agent reward modelling",
    confidence: "code",
    source:
      "weixiaolong94-hub/Igniting-Creative-Writing-in-Small-Language-Models @ 992c2287; adversarial/main.py: run_llm_gan_blessing_eval",
    formula: [
      "round: generator draws bad samples, keeps those with judge >= 0.5; reflector names the difference most of them share",
      "judge learns: right samples, and of those that passed the ones that break a principle",
      "ahead = accuracy after the last round - accuracy of a judge that learnt as many bad samples a round, drawn of all faults",
      "policy: p(hand) by REINFORCE on the judge;   preference arm: as many pairs (right, bad) of all faults, Bradley and Terry",
    ],
    departures: [
      "In the source both principles are texts for a model: what the judge catches improves the generator's, its mistakes improve its own. Here the judge learns from examples.",
      "The generator and the reflector are scripts; the judge is a linear model over words, and the policy a table of hands.",
    ],
  },
  options: {
    samples: option.count(400, "bad samples that the judge begins with, and that the generator draws in a round"),
    heldOut: option.count(600, "bad samples, and as many right ones, that it is measured on"),
    epochs: option.count(5, "times it sees them"),
    rounds: option.number(3, "rounds", { least: 1, most: 6, whole: true }),
    updates: option.count(150, "updates of the policy that is trained against the judge"),
    guided: option.flag(
      true,
      "learns what passed and breaks a principle; off, the control: bad samples as they are drawn",
    ),
  },
  run: async ({ samples, heldOut, epochs, rounds, updates, guided }, seed) => {
    const rng = createRng(`principles ${seed}`);
    const bad = plantMany(heldOut, FAULTS, rng, 1);
    const good = plantMany(heldOut, FAULTS, rng, 0);
    const begun = plantMany(samples, ["swapped"], rng, 1);
    const teach = (lessons: readonly Planted[]): WordJudge => taught(lessons, { epochs, seed });
    const metrics: Record<string, number> = {};
    const accuracy = (judge: WordJudge): number => mean(bad.map((one) => Number(judge.chance(plantedText(one)) < 0.5)));
    const measure = (judge: WordJudge, round: number): void => {
      metrics[`accuracy${round}`] = accuracy(judge);
      metrics[`passed${round}`] = mean(good.map((one) => Number(judge.chance(plantedText(one)) >= 0.5)));
    };
    const first = teach(begun);
    measure(first, 0);
    const lessons = [...begun];
    const drawn = [...begun];
    const principles = new Set<string>();
    let judge = first;
    for (let round = 1; round <= rounds; round += 1) {
      const passing = plantMany(samples, FAULTS, rng, 1).filter((one) => judge.chance(plantedText(one)) >= 0.5);
      const principle = reflected(passing);
      const broken = principle === undefined ? [] : passing.filter(principle.differs);
      const others = plantMany(broken.length, FAULTS, createRng(`drawn ${seed} ${round}`), 1);
      if (guided && principle !== undefined) principles.add(principle.text);
      lessons.push(...(guided ? broken : others));
      drawn.push(...others);
      judge = teach(lessons);
      measure(judge, round);
    }
    const unguided = teach(drawn);
    const preferring = createWordJudge({ seed });
    preferring.learnPairs(
      [...begun, ...plantMany(lessons.length - begun.length, FAULTS, rng, 1)].map(
        (one) => [plantedText({ ...one, given: one.right }), plantedText(one)] as const,
      ),
      epochs,
    );
    const hidden = await trainedAgainst(judge, updates, seed);
    const hiddenStatic = await trainedAgainst(first, updates, seed);
    const figures = {
      ...metrics,
      accuracyDrawn: accuracy(unguided),
      ahead: accuracy(judge) - accuracy(unguided),
      principles: principles.size,
      lessons: lessons.length,
      hidden,
      hiddenStatic,
      hiddenDrawn: await trainedAgainst(unguided, updates, seed),
      hiddenPreference: await trainedAgainst(preferring, updates, seed),
    };
    return { metrics: figures, kept: { judge, reads: "bookings" } };
  },
});

/** A judge that has seen these bad samples, and as many right ones. */
function taught(
  lessons: readonly Planted[],
  { epochs, seed }: { readonly epochs: number; readonly seed: number },
): WordJudge {
  const judge = createWordJudge({ seed });
  const right = plantMany(lessons.length, FAULTS, createRng(`right ${seed}`), 0);
  const examples = [...lessons, ...right].map((one): LabelledText => ({
    text: plantedText(one),
    label: Number(one.fault === undefined),
  }));
  judge.learn(examples, epochs);
  return judge;
}

/** The principle that most of what passed breaks. */
function reflected(passing: readonly Planted[]): (typeof PRINCIPLES)[number] | undefined {
  const counted = PRINCIPLES.map((principle) => ({ principle, count: passing.filter(principle.differs).length }));
  const [most] = counted.toSorted((left, right) => right.count - left.count);
  return most === undefined || most.count === 0 ? undefined : most.principle;
}

/** A policy that chooses how to book, rewarded by the judge alone; gives its share of right bookings, which it was never shown. */
async function trainedAgainst(judge: WordJudge, updates: number, seed: number): Promise<number> {
  const hands: readonly (PlantedFault | undefined)[] = [undefined, ...FAULTS];
  const even = hands.map(() => 1 / hands.length);
  const policy = createTabularPolicy({ probabilities: hands.map(() => even) });
  const rng = createRng(`against ${seed}`);
  const objective: Objective = {
    needs: ["logprob"],
    constantWeights: true,
    compute: (_live, _frozen, rows) => ({
      loss: 0,
      weights: { logprob: rows.map(({ advantages }) => (advantages as Float64Array).map((value) => -value)) },
    }),
  };
  for (let update = 0; update < updates; update += 1) {
    const chances = [...policy.logprobs(0)].map((value, hand) => [hand, Math.exp(value)] as const);
    const drawn = Array.from({ length: 16 }, () => drawWeighted(chances, rng) ?? 0);
    const rewards = drawn.map((hand) => judge.chance(plantedText(plant(hands[hand], rng))));
    const level = mean(rewards);
    const rows = drawn.map((hand, at) => ({
      ids: Int32Array.from([0, hand]),
      mask: Uint8Array.from([0, 1]),
      advantages: Float64Array.from([0, ((rewards[at] as number) - level) / drawn.length]),
    }));
    await policy.backward(rows, objective);
    await policy.step({ learningRate: 0.05 });
  }
  return Math.exp(policy.logprobs(0)[0] as number);
}
