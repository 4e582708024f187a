/**
 * CoSearch's credit for a ranker: does the gate on the quality of a ranking make a better ranker than an outcome that always
 * counts, and than the outcome alone?
 *
 *     npx tsx research/proofs/cosearch.ts --jobs 16
 *
 * Research questions of one and two hops; the question is the only query, and the eight passages that BM25 finds are ranked by
 * a linear policy (Plackett-Luce over features of words). The one who answers is fixed: he mostly needs the passage with the
 * answer on top, and sometimes knows the answer by himself. Credit is the only thing that differs between the arms.
 */
import { assignCredit, getCredit } from "limbeck/credit";
import { batchFromJson } from "limbeck/update";
import { createRng, type Rng } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { createResearchWorld } from "../../packages/worlds/src/research/world/world.ts";
import { words } from "../../packages/worlds/src/research/normalise.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const ARMS = {
  cosearch: { credit: "cosearch", options: {} },
  ungated: { credit: "cosearch", options: { gate: 0 } },
  outcome: { credit: "grpo", options: {} },
} as const;
type Arm = keyof typeof ARMS;

/** Enough people for some hundred questions that are held out. */
const SIZE = {
  people: { train: 120, valid: 120, test: 120 },
  questionsPerHop: { train: 200, valid: 200, test: 200 },
};
const CANDIDATES = 8;
const EVERY = 5;
const [UPDATES, QUESTIONS, ROLLOUTS, RATE] = [60, 8, 8, 0.3];
/** Chance of a right answer by the place of the passage that holds it: first, second or third, further down, not there. */
const ANSWERED = [0.9, 0.5, 0.5, 0.3, 0.3, 0.3, 0.3, 0.3] as const;
const ANSWERED_WITHOUT = 0.2;

interface Query {
  readonly id: string;
  readonly text: string;
  /** Of each candidate. */
  readonly features: readonly (readonly number[])[];
  /** Place of the passage with the answer among the candidates; -1 where none holds it. */
  readonly gold: number;
}

interface Result {
  readonly hitAtOne: Curve;
  readonly quality: Curve;
  /** Groups of the ranker whose scores differ, as a share of all. */
  readonly telling: number;
}

/** Of the questions held out, every few updates. */
interface Curve {
  readonly start: number;
  readonly mean: number;
  readonly end: number;
}

interface Ranked {
  /** Over questions whose answer is among the candidates. */
  readonly hitAtOne: number;
  readonly quality: number;
}

function queriesOf(seed: number, split: string, limit: number): Query[] {
  const { retriever, questions } = createResearchWorld(seed, SIZE, [1, 2]);
  return (questions[split] ?? []).slice(0, limit).map(({ id, question, answers, support }) => {
    const asked = new Set(words(question));
    const found = retriever.find(question, CANDIDATES);
    const features = found.map(({ contents }, place) => {
      const [title = "", ...body] = contents.split("\n");
      const inTitle = words(title);
      const inBody = words(body.join(" "));
      const shared = (list: readonly string[]): number => mean([0, ...list.map((word) => Number(asked.has(word)))]);
      return [1 / (place + 1), shared(inTitle), shared(inBody), inBody.length / 40, Number(inTitle.length > 2)];
    });
    const holds = ({ id: passage, contents }: (typeof found)[number]): boolean =>
      support.includes(passage) && answers.some((answer) => contents.toLowerCase().includes(answer.toLowerCase()));
    return { id, text: question, features, gold: found.findIndex(holds) };
  });
}

/** Draws an order without replacement; the gradient of its log-probability comes with it. */
function draw({ features }: Query, weights: readonly number[], rng: Rng) {
  const left = features.map((_, at) => at);
  const gradient = weights.map(() => 0);
  const order: number[] = [];
  while (left.length > 0) {
    const scores = left.map((at) => dot(weights, features[at] ?? []));
    const top = Math.max(...scores);
    const shares = scores.map((score) => Math.exp(score - top));
    const total = shares.reduce((sum, share) => sum + share, 0);
    let rest = rng.float() * total;
    const drawn = Math.max(0, shares.findIndex((share) => (rest -= share) < 0)); // prettier-ignore
    for (const [axis] of gradient.entries()) {
      const expected = left.reduce((sum, at, place) => sum + ((shares[place] ?? 0) / total) * (features[at]?.[axis] ?? 0), 0); // prettier-ignore
      gradient[axis] = (gradient[axis] ?? 0) + (features[left[drawn] ?? 0]?.[axis] ?? 0) - expected;
    }
    order.push(...left.splice(drawn, 1));
  }
  return { order, gradient };
}

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

/** Mean of Hit@1, Hit@3 and Hit@5. */
const qualityOf = (place: number): number => mean([1, 3, 5].map((depth) => Number(place >= 0 && place < depth)));

function update(queries: readonly Query[], weights: readonly number[], arm: Arm, rng: Rng) {
  const drawn = queries.flatMap((query) =>
    Array.from({ length: ROLLOUTS }, (_, at) => {
      const ranking = draw(query, weights, rng);
      const place = ranking.order.indexOf(query.gold);
      const right = rng.float() < (query.gold < 0 ? ANSWERED_WITHOUT : (ANSWERED[place] ?? ANSWERED_WITHOUT));
      return { query, id: `${query.id}/${at}`, ...ranking, reward: qualityOf(place), outcome: Number(right) };
    }),
  );
  const batch = batchFromJson({
    rows: drawn.map(({ query, id, reward }) => ({
      task: query.id,
      trajectory: id,
      step: 0,
      valid: true,
      mask: [1],
      state: query.text,
      reward,
      signals: { answerInDocuments: query.gold >= 0, role: "ranker" },
    })),
    trajectories: Object.fromEntries(drawn.map(({ id, outcome }) => [id, { outcome, success: outcome === 1 }])),
  });
  const { credit, options } = ARMS[arm];
  const { advantages, metrics } = assignCredit(getCredit(credit), batch, options);
  const moved = weights.map((weight, axis) => {
    const steps = drawn.map(({ gradient }, at) => (advantages[at]?.[0] ?? 0) * (gradient[axis] ?? 0));
    return weight + RATE * mean(steps);
  });
  return { weights: moved, telling: 1 - (metrics["equalGroups"] ?? 0) / Math.max(1, metrics["groups"] ?? 1) };
}

/** As the policy ranks, drawn once for each question. */
function ranked(queries: readonly Query[], weights: readonly number[], rng: Rng): Ranked {
  const places = queries
    .filter(({ gold }) => gold >= 0)
    .map((query) => draw(query, weights, rng).order.indexOf(query.gold));
  return { hitAtOne: mean(places.map((place) => Number(place === 0))), quality: mean(places.map(qualityOf)) };
}

function run({ arm, seed, quick, split }: OneRun): Promise<Result> {
  const training = queriesOf(seed, "train", 400);
  const held = queriesOf(seed, split, 400);
  const rng = createRng(seed).split("ranker");
  let weights: readonly number[] = [0, 0, 0, 0, 0];
  const curve: Ranked[] = [];
  const telling: number[] = [];
  const look = (): void => void curve.push(ranked(held, weights, createRng(seed).split("held out")));
  for (let at = 0; at < (quick ? 2 : UPDATES); at += 1) {
    if (at % EVERY === 0) look();
    const drawn = Array.from({ length: QUESTIONS }, () => training[rng.int(training.length)] as Query);
    const queries = [...new Map(drawn.map((query) => [query.id, query])).values()];
    const next = update(queries, weights, arm as Arm, rng);
    weights = next.weights;
    telling.push(next.telling);
  }
  look();
  const of = (key: keyof Ranked): Curve => {
    const values = curve.map((one) => one[key]);
    return { start: values[0] ?? 0, mean: mean(values), end: values.at(-1) ?? 0 };
  };
  return Promise.resolve({ hitAtOne: of("hitAtOne"), quality: of("quality"), telling: mean(telling) });
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  print("| arm | seed | answer on top: before, mean, after | quality: before, mean, after | groups that differ |");
  print("| --- | ---: | ---: | ---: | ---: |");
  const shown = ({ start, mean: middle, end }: Curve): string =>
    [start, middle, end].map((value) => value.toFixed(3)).join(", ");
  for (const { arm, seed, result } of results) {
    const { hitAtOne, quality, telling } = result;
    print(`| \`${arm}\` | ${seed} | ${shown(hitAtOne)} | ${shown(quality)} | ${telling.toFixed(2)} |`);
  }
  print();
  for (const other of ["ungated", "outcome"] as const) {
    for (const key of ["hitAtOne", "quality"] as const) {
      const pairs = results.flatMap(({ arm, seed, result }) => {
        const rival = results.find((one) => one.arm === other && one.seed === seed)?.result;
        return arm === "cosearch" && rival !== undefined ? [{ own: result[key], rival: rival[key] }] : [];
      });
      if (pairs.length === 0) continue;
      const words = (point: "mean" | "end"): string =>
        differenceWords(pairs.map(({ own, rival }) => own[point] - rival[point]));
      print(
        `- ${key}, cosearch less ${other}, ${pairs.length} seeds: mean of the curve ${words("mean")}, end ${words("end")}`,
      );
    }
  }
}

await runStudy<Result>({ name: "cosearch", arms: Object.keys(ARMS), run, report });
