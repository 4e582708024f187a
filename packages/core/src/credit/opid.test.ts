import { describe, expect, test } from "vitest";
import { advantages, assign, episodes, plainSteps, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { opid } from "./opid.ts";
import { teacherSources } from "./teacher.ts";

const base = episodes({ X: { outcome: 1, steps: plainSteps(2) }, Y: { outcome: 0, steps: plainSteps(3) } });

describe("the episode part", () => {
  test("over step rows", () => {
    // S = [1, 1, 0, 0, 0]: mean 0.4; squares 2 * 0.36 + 3 * 0.16 = 1.2; / 4; std 0.547723.
    expect(rowAdvantages(opid, base)).toEqual([0.6, 0.6, -0.4, -0.4, -0.4]);
    expect(rowAdvantages(opid, base, { mode: "mean_std_norm" })).toEqual([
      1.095443, 1.095443, -0.730295, -0.730295, -0.730295,
    ]);
  });

  test("counting trajectories once", () => {
    // Scores 1 and 0: mean 0.5, std 0.707107.
    const once = { countTrajectoryOnce: true };
    expect(rowAdvantages(opid, base, once)).toEqual([0.5, 0.5, -0.5, -0.5, -0.5]);
    expect(rowAdvantages(opid, base, { ...once, mode: "mean_std_norm" })).toEqual([
      0.707106, 0.707106, -0.707106, -0.707106, -0.707106,
    ]);
  });

  test("one invalid action", () => {
    const invalid = episodes({
      X: { outcome: 1, steps: plainSteps(2) },
      Y: { outcome: 0, steps: [{}, { valid: false }, {}] },
    });
    // S = [1, 1, 0, -0.1, 0]: mean 0.38.
    expect(rowAdvantages(opid, invalid)).toEqual([0.62, 0.62, -0.38, -0.48, -0.38]);
    expect(rowAdvantages(opid, invalid, { invalidPenalty: 0 })).toEqual([0.6, 0.6, -0.4, -0.4, -0.4]);
  });

  test("a single row is raw, or 0", () => {
    const one = episodes({ X: { outcome: 0.7, steps: [{}] } });
    expect(rowAdvantages(opid, one)).toEqual([0.7]);
    expect(rowAdvantages(opid, one, { singleton: "zero" })).toEqual([0]);
  });
});

const old = [-1, -0.5, -2];
const episodeTeacher = [-0.8, -0.5, -2.4];
const stepTeacher = [-0.4, -0.9, -1];

/** Y's second step has three tokens and these fields; its episode part is -0.4. */
function taught(fields: Record<string, number[] | boolean | Record<string, number[]>>) {
  return episodes({
    X: { outcome: 1, steps: plainSteps(2) },
    Y: { outcome: 0, steps: [{}, { mask: [1, 1, 1], ...fields }, {}] },
  });
}
const both = taught({ logprobs: { old, episodeTeacher, stepTeacher } });

describe("the teachers", () => {
  // D_episode = [0.2, 0, -0.4], D_step = [0.6, -0.4, 1], weights 0.001.
  test("step_priority listens to the step's own teacher only", () => {
    expect(advantages(opid, both)[3]).toEqual([-0.3994, -0.4004, -0.399]);
  });

  test("additive listens to both", () => {
    // 0.2 + 0.6 = 0.8    0 - 0.4 = -0.4    -0.4 + 1 = 0.6
    expect(advantages(opid, both, { teacherMode: "additive" })[3]).toEqual([-0.3992, -0.4004, -0.3994]);
  });

  test("without a step skill the episode's teacher speaks", () => {
    const expected = [-0.3998, -0.4, -0.4004];
    expect(advantages(opid, taught({ logprobs: { old, episodeTeacher } }))[3]).toEqual(expected);
    expect(
      advantages(opid, taught({ logprobs: { old, episodeTeacher, stepTeacher }, useStepSkill: false }))[3],
    ).toEqual(expected);
  });

  test("normalize: centred and scaled over the active tokens", () => {
    // mu -0.2 / 3 = -0.066667; population std 0.249444; (0.2 + 0.066667) / 0.249445 = 1.069041.
    const one = taught({ logprobs: { old, episodeTeacher } });
    const { terms } = assign(opid, one, { normalize: true });
    expect(Array.from(terms["episodeTeacher"]!.perToken![3]!, round)).toEqual([1.069041, 0.26726, -1.336301]);
  });

  test("normalize only centres where there is no spread", () => {
    const flat = taught({ logprobs: { old: [0, 0, 0], episodeTeacher: [1, 1, 1] } });
    const { terms } = assign(opid, flat, { normalize: true });
    expect([...terms["episodeTeacher"]!.perToken![3]!]).toEqual([0, 0, 0]);
  });

  test("clip bounds each token before its weight", () => {
    const { terms } = assign(opid, both, { clip: 0.5 });
    expect(Array.from(terms["stepTeacher"]!.perToken![3]!, round)).toEqual([0.5, -0.4, 0.5]);
  });

  test("two rows of two tokens, one of them critical", () => {
    const zero = [0, 0];
    const ones = [1, 1];
    const rows = episodes({
      X: {
        outcome: 0,
        steps: [
          { mask: ones, logprobs: { old: zero, episodeTeacher: ones } },
          { mask: ones, logprobs: { old: zero, episodeTeacher: ones, stepTeacher: [2, 2] } },
        ],
      },
    });
    // 0.25 * 1, and 0.5 * 2.
    expect(advantages(opid, rows, { episodeWeight: 0.25, stepWeight: 0.5 })).toEqual([
      [0.25, 0.25],
      [1, 1],
    ]);
    // 0.001 * 1 + 0.001 * 2.
    expect(advantages(opid, rows, { teacherMode: "additive" })[1]).toEqual([0.003, 0.003]);
  });
});

test("who teaches whom", () => {
  const weights = (episodeWeight: number, stepWeight: number, teacherMode: string) => ({
    episodeWeight,
    stepWeight,
    teacherMode,
  });
  const critical = { useEpisodeSkill: true, useStepSkill: true };
  const plain = { useEpisodeSkill: true, useStepSkill: false };
  expect(teacherSources(critical, weights(1, 1, "step_priority"))).toEqual({ episode: false, step: true });
  expect(teacherSources(critical, weights(1, 1, "additive"))).toEqual({ episode: true, step: true });
  for (const mode of ["step_priority", "additive"]) {
    expect(teacherSources(plain, weights(1, 1, mode))).toEqual({ episode: true, step: false });
    // Without a weight the step skill is ignored and the episode skill teaches everywhere.
    expect(teacherSources(critical, weights(1, 0, mode))).toEqual({ episode: true, step: false });
    expect(teacherSources(plain, weights(0, 1, mode))).toEqual({ episode: false, step: false });
    expect(teacherSources(critical, weights(0, 1, mode))).toEqual({ episode: false, step: true });
  }
  expect(teacherSources({}, weights(1, 1, "additive"))).toEqual({ episode: false, step: false });
});

test("teachers off is the base to the bit; a teacher that agrees adds nothing", () => {
  const off = assign(opid, both, { episodeWeight: 0, stepWeight: 0 });
  const agreed = assign(opid, taught({ logprobs: { old, episodeTeacher: old } }));
  const plain = assign(opid, taught({}));
  expect(off.advantages).toEqual(plain.advantages);
  expect(agreed.advantages).toEqual(plain.advantages);
  expect(off.metrics["taughtTokenShare"]).toBe(0);
});

test("a step part on request", () => {
  const rows = episodes({
    X: { outcome: 1, steps: [{ state: "s", reward: 1 }] },
    Y: { outcome: 0, steps: [{ state: "s", reward: 0 }] },
  });
  // 0.5 + 2 * 0.5
  expect(rowAdvantages(opid, rows, { stepAdvantageWeight: 2 })).toEqual([1.5, -1.5]);
  expect(() => assign(opid, base, { stepAdvantageWeight: 1 })).toThrow(/Row 0 .* has no "state"/);
});

test("a teacher without old log-probabilities, or a skill without a teacher, is named", () => {
  expect(() => assign(opid, taught({ logprobs: { episodeTeacher } }))).toThrow(
    /Row 3 \(trajectory "Y", step 1\), field "logprobs.old": is missing/,
  );
  expect(() => assign(opid, taught({ logprobs: { old }, useEpisodeSkill: true }))).toThrow(
    /Row 3 .* field "logprobs.episodeTeacher": is missing although the row says that it uses this skill/,
  );
});

publishedCredit("opid", opid);
