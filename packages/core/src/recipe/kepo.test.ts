import { expect, test } from "vitest";
import { knownDivergence, statisticsOf } from "../../../../test/support/known-divergence.ts";
import { actingAs, idle, obedient } from "../../../../test/support/obedient.ts";
import { corridorEpisodes, smallModel, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { published } from "../../../../test/support/published.ts";
import { sampleTrajectory } from "../../../../test/support/samples.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { gatedEpisodes } from "../distill/quality-gate.ts";
import { kepo } from "./kepo.ts";
import type { Policy } from "limbeck-policy/policy/policy";
import { byGroup } from "limbeck-base/trajectory/rows";
import { divergenceLoss } from "./divergence-form.ts";

recipeContract("kepo");

test("the worked batch: divergences 0.2, 0.9, 0.4, 0.8, the first and third of them gated, give 0.3", () => {
  const known = [0.2, 0.9, 0.4, 0.8].map((kl, at) => {
    const { row, candidates } = knownDivergence([kl]);
    // Who is not gated has no teacher.
    const { teacherCandidates, ...plain } = row;
    return { row: at % 2 === 0 ? { ...plain, ...(teacherCandidates && { teacherCandidates }) } : plain, candidates };
  });
  const options = { form: "candidates", direction: "forward", middle: 0.5, candidates: 2, rest: "tail" } as const;
  const objective = divergenceLoss({ ...options, clamp: null }, "token-mean");
  const live = statisticsOf(known);
  expect(
    objective.compute(
      live,
      live,
      known.map(({ row }) => row),
    ).loss,
  ).toBeCloseTo(0.3, 6);
});

interface PublishedGate {
  readonly threshold: number;
  readonly middle: number;
  readonly rewards: readonly number[];
  readonly student: readonly (readonly (readonly number[])[])[];
  readonly teacher: readonly (readonly (readonly number[])[])[];
  readonly loss: number;
}

test.each(published<PublishedGate>("kepo").cases)("the teacher's loss as published: rewards $rewards", (given) => {
  const episodes = given.rewards.map((reward, at) => sampleTrajectory(String(at), { reward: scored(reward) }));
  const gate = gatedEpisodes(episodes, given.threshold);
  const flat = (tokens: readonly (readonly number[])[] = []): number[] => [0, 0, 0, ...tokens.flat()];
  const rows = given.teacher.map((tokens, at): TrainRow => {
    const length = tokens.length + 1;
    const plain = {
      ids: new Int32Array(length),
      mask: new Uint8Array(length).fill(1, 1),
      candidates: { count: 3, ids: Int32Array.from({ length: 3 * length }, (_, place) => place % 3) },
    };
    return gate.has(String(at)) ? { ...plain, teacherCandidates: Float32Array.from(flat(tokens)) } : plain;
  });
  const { form, direction } = kepo.presets["paper"] as { readonly form: "vocabulary"; readonly direction: "jsd" };
  const options = { form, direction, middle: given.middle, candidates: 3, rest: "tail", clamp: null } as const;
  const live = { candidates: given.student.map((tokens) => Float64Array.from(flat(tokens))) };
  const { loss } = divergenceLoss(options, "token-mean").compute(live, live, rows);
  expect(loss).toBeCloseTo(given.loss, 4);
});

test("the paper's teacher is a larger model that is told nothing, and weighs as much as the reward", () => {
  expect(kepo.presets["paper"]).toMatchObject({
    teacher: "model",
    context: "none",
    teacherWeight: 1,
    learningRate: 2e-6,
  });
});

/** Only what failed: no group has anything to compare. */
const failures = async () => (await corridorEpisodes("one")).filter(({ success }) => success === false);

async function hopeless(actor: Policy, given: Readonly<Record<string, unknown>> = {}) {
  const model = actingAs(await smallModel(), actor);
  return await tryRecipe("kepo", { model, collect: failures, given });
}

test("only episodes that did well have a teacher", async () => {
  const { record, model } = await tryRecipe("kepo");
  const good = record.episodes.filter(({ success }) => success === true).map(({ id }) => id);
  expect([...(record.taught?.opinions.keys() ?? [])].sort()).toEqual(good.sort());
  expect(record.metrics["kepo/gated"]).toBe(good.length);
  await model.close();
});

test("where every episode failed, hints find successes, which are learned from without the hint", async () => {
  const { record, model, before } = await hopeless(obedient, { inserted: 1 });
  const groups = byGroup(record.episodes).length;
  expect(record.metrics).toMatchObject({
    "kepo/hinted": 4 * groups,
    "kepo/inserted": groups,
    "kepo/dropped": 0,
    "kepo/gated": groups,
  });
  expect(record.beside).toHaveLength(4 * groups);
  for (const { success, info, streams } of record.beside) {
    expect([success, info?.["phase"]]).toEqual([true, "hinted"]);
    expect(streams[0]?.logprobs?.some((one) => one < 0)).toBe(true);
  }
  // The inserted ones stand in groups of failures, so that there is something to compare.
  expect(record.credited?.result.advantages.some((row) => row.some((one) => one > 0))).toBe(true);
  expect(model.weights.flat).not.toEqual(before);
  await model.close();
});

test("where hints fail too the groups are dropped and nothing is learned", async () => {
  const { record, model, before } = await hopeless(idle);
  expect(record.metrics["kepo/dropped"]).toBe(byGroup(record.episodes).length);
  expect(record.metrics["kepo/inserted"]).toBe(0);
  expect(model.weights.flat).toEqual(before);
  await model.close();
});

test("without hints nobody is asked for a solution, and no group has anything to learn from", async () => {
  const { record, model, before } = await hopeless(obedient, { hints: 0 });
  expect(record.beside).toEqual([]);
  expect(record.metrics["kepo/hinted"]).toBe(0);
  // The same failures as above, where hints gave every group something to compare: here none has anything.
  expect(record.metrics["kepo/dropped"]).toBe(byGroup(await failures()).length);
  expect(model.weights.flat).toEqual(before);
  await model.close();
});
