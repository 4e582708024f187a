/** A critic that learns from what several critics agree on (MultiCritique). */
import { createRng, type Rng } from "limbeck-base/base/rng";
import { option } from "limbeck-base/base/option";
import { defineJudging } from "./judging.ts";
import { f1Of, FAULTS, plantedText, plantMany, type PlantedFault, type Planted } from "./planted.ts";
import { createWordJudge, type WordJudge } from "./word-judge.ts";

/** A scripted critic: how often it names each fault, and how often what is right. */
interface Critic {
  readonly hits: Readonly<Record<PlantedFault, number>>;
  readonly alarms: number;
}

/** Each is blind in another place. */
const CRITICS: readonly Critic[] = [
  { hits: { swapped: 0.9, "wrong source": 0.85, "wrong target": 0.5, "near amount": 0.8 }, alarms: 0.2 },
  { hits: { swapped: 0.5, "wrong source": 0.85, "wrong target": 0.9, "near amount": 0.8 }, alarms: 0.15 },
  { hits: { swapped: 0.85, "wrong source": 0.5, "wrong target": 0.85, "near amount": 0.75 }, alarms: 0.2 },
];

export const multiCritique = defineJudging({
  info: {
    title: "MultiCritique",
    meaning: "Several noisy critics name faults, their votes are merged, and a critic learns from what was merged.",
    paper: "Training Language Models to Critique With Multi-agent Feedback (MultiCritique)",
    confidence: "reading",
    source: "a review of arXiv 2410.15287 in public notes",
    formula: [
      "merged fault = votes >= critics / 2;   first labels: BCE(1 - merged fault)",
      "then pairs of one event: the booking with fewer votes above the one with more (Bradley and Terry)",
      "ahead = F1 - F1 of a critic that learns from the best single one, on as many bookings as all three were asked about",
    ],
    departures: [
      "Critics are scripts with known blind spots, so that the best single one can be measured; merged by vote, not by a model.",
      "The critic is a linear model over words and pairs of words, trained in this process.",
    ],
  },
  options: {
    samples: option.count(1500, "bookings that are criticised"),
    heldOut: option.count(600, "bookings that it is measured on"),
    epochs: option.count(6, "times it sees them"),
    merge: option.flag(true, "learns from the merged votes; off, the control: from the best critic, asked as often"),
  },
  run: async ({ samples, heldOut, epochs, merge }, seed) => {
    const rng = createRng(`multi-critique ${seed}`);
    const [train, test] = [plantMany(samples, FAULTS, rng), plantMany(heldOut, FAULTS, rng)];
    const [votes, testVotes] = [train, test].map((some) => some.map((one) => CRITICS.map(saidBy(one, rng)))) as [
      boolean[][],
      boolean[][],
    ];
    const isMerged = (own: readonly boolean[]): boolean => own.filter(Boolean).length >= CRITICS.length / 2;
    const truth = test.map(({ fault }) => fault !== undefined);
    const trained = (label: (at: number) => boolean, paired: boolean, some = train): WordJudge => {
      const judge = createWordJudge({ seed });
      judge.learn(
        some.map((one, at) => ({ text: plantedText(one), label: Number(!label(at)) })),
        epochs,
      );
      if (paired) judge.learnPairs(votedPairs(train, rng), 1);
      return judge;
    };
    const f1By = (judge: WordJudge): number =>
      f1Of(
        test.map((one) => judge.chance(plantedText(one)) < 0.5),
        truth,
      );
    const single = CRITICS.map((_, critic) =>
      f1Of(
        testVotes.map((own) => own[critic] === true),
        truth,
      ),
    );
    const best = single.indexOf(Math.max(...single));
    // As many calls as those of all critics together.
    const further = createRng(`calls ${seed}`);
    const more = plantMany((CRITICS.length - 1) * samples, FAULTS, further);
    const said = more.map((one) => saidBy(one, further)(CRITICS[best] as Critic));
    const alone = trained((at) => votes[at]?.[best] ?? said[at - samples] === true, false, [...train, ...more]);
    const judge = merge ? trained((at) => isMerged(votes[at] ?? []), true) : alone;
    const f1 = f1By(judge);
    const metrics = {
      f1,
      bestCritic: Math.max(...single),
      gain: f1 - Math.max(...single),
      merged: f1Of(testVotes.map(isMerged), truth),
      ahead: f1 - f1By(alone),
      trainedOnBestCritic: f1By(trained((at) => votes[at]?.[best] === true, false)),
      trainedWithoutPairs: f1By(trained((at) => isMerged(votes[at] ?? []), false)),
    };
    return Promise.resolve({ metrics, kept: { judge, reads: "bookings" } });
  },
});

function saidBy({ fault }: Planted, rng: Rng): (critic: Critic) => boolean {
  return ({ hits, alarms }) => rng.float() < (fault === undefined ? alarms : hits[fault]);
}

/** Two bookings of one event, both criticised; ties are no evidence. */
function votedPairs(train: readonly Planted[], rng: Rng): (readonly [string, string])[] {
  return train.flatMap((one) => {
    const other: Planted = { ...one, given: one.right, fault: undefined };
    if (one.fault === undefined) return [];
    const [own, others] = [one, other].map((each) => CRITICS.map(saidBy(each, rng)).filter(Boolean).length) as [
      number,
      number,
    ];
    if (own === others) return [];
    const texts = [plantedText(other), plantedText(one)] as const;
    return [others < own ? texts : ([texts[1], texts[0]] as const)];
  });
}
