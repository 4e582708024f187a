/** The run doctor on metric rows that are made by hand: every trouble is found, told once, and a healthy run hears nothing. */
import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../test/support/samples.ts";
import { scored } from "limbeck-base/trajectory/score";
import { cutWords, examine, fallenWords, HEALTHY, TROUBLES, vitalMetrics, type Vitals } from "./run-doctor.ts";

const SETTINGS = { answerTokens: 24, group: 8, learningRate: 3e-4 };

type Row = Partial<Omit<Vitals, "metrics">> & Readonly<Record<string, number>>;

/** Rows of a run, one a number of updates; what each says, in order. */
function told(...rows: Row[]): string[][] {
  let state = HEALTHY;
  return rows.map(({ success = 0.4, entropy = 0.5, ...metrics }, at) => {
    const seen = examine(state, { update: at + 1, success, entropy, metrics }, SETTINGS);
    // As a checkpoint would bring it back.
    state = JSON.parse(JSON.stringify(seen.state)) as typeof state;
    return seen.found.map(({ trouble, message }) => `${trouble}: ${message}`);
  });
}

const times = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);

test("a healthy run hears nothing, however long", () => {
  const healthy = {
    "groups/dead": 0.5,
    "actions/refused": 0.1,
    "answers/cut": 0.02,
    ratioSpread: 0.05,
    "loss/kl/kl": 0.1,
  };
  expect(told(...times(20, healthy)).flat()).toEqual([]);
  // Numbers that are missing, or none, are no trouble.
  expect(told(...times(5, { entropy: Number.NaN, ratioSpread: Number.NaN })).flat()).toEqual([]);
});

test("dead groups: too easy and too hard are different advice, and it is told once", () => {
  const [, , easy, ...rest] = told(...times(8, { success: 1, "groups/dead": 0.875 }));
  expect(easy).toEqual([
    "dead-groups: In 88% of the groups all episodes earn the same, so there is nothing to learn from. The tasks are too easy for the policy: try harder ones (--env-set), or --set group=16.",
  ]);
  expect(rest.flat()).toEqual([]);
  expect(told(...times(3, { success: 0, "groups/dead": 1 })).flat()[0]).toContain(
    "The tasks are too hard for the policy: try easier ones (--env-set), a reward in between (--reward), a start that succeeds now and then (limbeck sft), or --recipe grpo --preset hard, or --set group=16.",
  );
  // One living group in three is enough.
  expect(told(...times(6, { "groups/dead": 2 / 3 })).flat()).toEqual([]);
});

test("a collapse is measured against the best three updates in a row, not against a lucky one", () => {
  const rows = [0.3, 0.4, 0.5, 0.2, 0, 0, 0].map((success) => ({ success }));
  // 0.3, 0.4 and 0.5 make 0.4 up to update 3; at update 7 three zeros stand in a row.
  expect(told(...rows)).toEqual([
    ...times(6, {}).map(() => []),
    [
      "collapse: The training has collapsed: success of the last 3 updates is 0.00, and was 0.40 up to update 3. Try --set learningRate=0.0001, --set klWeight=0.01 or --set clipNorm=0.5.",
    ],
  ]);
  // A run that never succeeded has nothing to lose.
  expect(told(...times(9, { success: 0.02 })).flat()).toEqual([]);
});

test("entropy: gone, unless everything is solved; or exploding", () => {
  const calm = times(3, { entropy: 0.6 });
  expect(told(...calm, ...times(3, { entropy: 0.03 })).flat()).toEqual([
    "entropy-gone: The policy hardly tries anything new: its entropy fell from 0.600 to 0.030 nats. Try --set entropyWeight=0.001, --set clipHigh=0.28 or a lower learningRate.",
  ]);
  expect(told(...calm, ...times(3, { entropy: 0.03, success: 1 })).flat()).toEqual([]);
  expect(told(...calm, ...times(3, { entropy: 2.1 })).flat()).toEqual([
    "entropy-explodes: The answers turn into noise: entropy rose from 0.60 to 2.10 nats. Try --set learningRate=0.0001, --set klWeight=0.01, or no entropyWeight.",
  ]);
});

test("ratios, divergence, refused actions and cut answers, each with its number", () => {
  const ill = { ratioSpread: 0.75, clipFraction: 0.4, "loss/kl/kl": 1.5, "actions/refused": 0.6, "answers/cut": 0.25 };
  expect(told(...times(9, ill)).flat()).toEqual([
    "ratios: The updates go too far: the log-ratio to the policy that played spreads by 0.75. Try --set learningRate=0.0001, fewer epochs or miniBatches, or a smaller --lag.",
    "divergence: The policy has left its start behind: the divergence is 1.50 nats a token. Try a larger klWeight or a lower learningRate.",
    "refused: The world refuses 60% of the actions. Look at some (limbeck show ID); then try --system with the form of an answer, --form tagged, or a start that knows the world (limbeck sft).",
    "cut: 25% of the answers were cut at 24 tokens, before they ended by themselves. Try --set answerTokens=48, --stop TEXT, or --thinking off for a model that thinks.",
  ]);
  expect(told(...times(3, { clipFraction: 0.4 })).flat()[0]).toContain("40% of the tokens are clipped");
  expect(TROUBLES).toHaveLength(8);
});

test("what it reads of episodes: groups of one reward, refused steps, answers without an end", () => {
  const dialect = { stop: [Int32Array.of(9)] };
  const stream = {
    ids: Int32Array.of(1, 2, 9, 3, 4),
    mask: Uint8Array.of(0, 1, 1, 1, 1),
    logprobs: new Float32Array(5),
  };
  const episode = (id: string, group: string, reward: number) =>
    sampleTrajectory(id, {
      group,
      reward: scored(reward),
      streams: [stream],
      steps: [
        { ...sampleStep(0), valid: true, span: { stream: 0, start: 1, end: 3 } },
        { ...sampleStep(1), valid: false, span: { stream: 0, start: 3, end: 5 } },
      ],
    });
  const episodes = [episode("a", "x", 1), episode("b", "x", 1), episode("c", "y", 0), episode("d", "y", 1)];
  // Of two groups one is dead; of two steps of each one is refused; of two answers one has no 9 at its end.
  expect(vitalMetrics(episodes, dialect)).toEqual({ "groups/dead": 0.5, "actions/refused": 0.5, "answers/cut": 0.5 });
  expect(vitalMetrics([], dialect)).toEqual({});
  expect(cutWords({ cut: 1, answers: 20 }, SETTINGS)).toBeUndefined();
  expect(cutWords({ cut: 2, answers: 20 }, SETTINGS)).toContain("10% of the answers were cut at 24 tokens");
});

test("held-out success that is gone at the end is said, and a start that could nothing is not blamed", () => {
  const of100 = (solved: number) => ({ success: solved / 100, solved });
  expect(fallenWords(of100(42), of100(0))).toContain("held-out success was 0.42 before it and is 0.00 now");
  expect(fallenWords(of100(5), of100(0))).toBeUndefined();
  expect(fallenWords(of100(40), of100(20))).toBeUndefined();
  expect(fallenWords({ success: null, solved: 0 }, of100(0))).toBeUndefined();
});

test("one of two tasks solved, then none, is luck; three of six are not", () => {
  const nothing = { success: 0, solved: 0 };
  expect(fallenWords({ success: 0.5, solved: 1 }, nothing)).toBeUndefined();
  expect(fallenWords({ success: 0.5, solved: 3 }, nothing)).toContain("0.50 before it and is 0.00 now");
});
