import { describe, expect, test } from "vitest";
import { oneTask, openUpdate, type TryParts } from "../../../../test/support/recipe-bench.ts";
import { contexts, type ContextId } from "../distill/contexts/index.ts";
import type { RowStatistics, Scorer } from "limbeck-policy/policy/policy";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { unionOf, teach, type TeachRequest } from "./teach.ts";
import { collect } from "./collect.ts";
import { credit } from "./credit.ts";
import { minus } from "./ledger.ts";

async function taught(request: TeachRequest, parts: TryParts = {}) {
  const opened = await openUpdate("opid", { collect: oneTask, ...parts });
  const { update } = opened;
  const episodes = await collect(update);
  const before = update.ledger.cost;
  const said = await teach(update, episodes, request);
  return { ...opened, episodes, said, cost: minus(update.ledger.cost, before) };
}

const responses = (steps: readonly { readonly span?: { readonly start: number; readonly end: number } }[]): number =>
  steps.reduce((total, { span }) => total + ((span?.end ?? 0) - (span?.start ?? 0)), 0);

describe.each(Object.keys(contexts) as ContextId[])("the context %s", (context) => {
  test("gives every taught token a finite log-probability, and counts who has no context", async () => {
    const { episodes, said, record, model } = await taught({ context, candidates: null });
    const missing = new Set(said.missing);
    for (const { id, steps } of episodes) {
      const opinions = said.opinions.get(id);
      expect(opinions === undefined).toBe(missing.has(id));
      for (const { index, span } of opinions === undefined ? [] : steps) {
        const opinion = opinions?.get(index);
        const word = opinion?.step ?? opinion?.episode;
        expect(word).toHaveLength((span?.end ?? 0) - (span?.start ?? 0));
        expect(word?.every((value) => Number.isFinite(value) && value < 0)).toBe(true);
      }
    }
    expect(record.metrics["context/missing"]).toBe(missing.size);
    expect(record.metrics["context/taught"]).toBe(episodes.length - missing.size);
    await model.close();
  });
});

test("with nothing told and the policy itself as teacher, its own log-probabilities come back", async () => {
  const { episodes, said, model } = await taught({ context: "none", candidates: null, teacher: "self" });
  const [first] = episodes;
  const stream = first?.streams[0];
  const [alone] = await model.score([{ ids: stream?.ids as Int32Array }]);
  for (const { index, span } of first?.steps ?? []) {
    const word = said.opinions.get(first?.id ?? "")?.get(index)?.episode;
    word?.forEach((value, token) => expect(value).toBeCloseTo(alone?.logprob?.[(span?.start ?? 0) + token] ?? 1, 4));
  }
  await model.close();
});

test.each([
  ["teacher", 4],
  ["student", 4],
  ["union", 8],
] as const)("candidates of the %s stand in the rows at the positions of the response", async (support, count) => {
  const { update, episodes, said, model } = await taught({ context: "answer", candidates: 4, support });
  const { rows } = await credit(update, episodes, said);
  expect(rows).toHaveLength(episodes.length);
  for (const { ids, mask, teacherMask, candidates, teacherCandidates, teacherLogprobs } of rows) {
    expect(candidates?.count).toBe(count);
    expect(candidates?.ids).toHaveLength(ids.length * count);
    for (const [token, id] of ids.entries()) {
      if (mask[token] !== 1) continue;
      expect(teacherMask?.[token]).toBe(1);
      const own = [...(candidates?.ids.subarray(token * count, (token + 1) * count) ?? [])];
      const said = [...(teacherCandidates?.subarray(token * count, (token + 1) * count) ?? [])];
      expect(new Set(own).size).toBe(count);
      expect(said.reduce((sum, value) => sum + Math.exp(value), 0)).toBeLessThan(1);
      // Where the sampled word is among the candidates, both say the same of it.
      const word = teacherLogprobs?.[token] ?? 1;
      expect(own.includes(id) ? said[own.indexOf(id)] : word).toBeCloseTo(word, 4);
    }
  }
  await model.close();
});

test("the whole vocabulary adds up to one", async () => {
  const { update, episodes, said, model } = await taught({ context: "none", candidates: "all" });
  const { rows } = await credit(update, episodes, said);
  const { teacherCandidates, mask, candidates } = rows[0] ?? {};
  const token = mask?.indexOf(1) ?? 0;
  const count = candidates?.count ?? 0;
  expect(count).toBe(model.config.vocabularySize);
  const own = [...(teacherCandidates?.subarray(token * count, (token + 1) * count) ?? [])];
  expect(own.reduce((sum, value) => sum + Math.exp(value), 0)).toBeCloseTo(1, 4);
  await model.close();
});

test("a context that is missing is counted, or an error where the method says so", async () => {
  const west = { id: "west", summary: "Goes west.", start: () => ({ next: () => "go west" }) };
  const skipped = await taught({ context: "answer", candidates: null }, { demonstrator: west });
  expect(skipped.said.missing).toHaveLength(skipped.episodes.length);
  expect(skipped.said.opinions.size).toBe(0);
  await skipped.model.close();
  await expect(
    taught({ context: "answer", candidates: null, missing: "fail" }, { demonstrator: west }),
  ).rejects.toThrow(/"answer" of 6 episodes.*where the demonstrator fails/);
  await expect(taught({ context: "answer", candidates: null }, { demonstrator: undefined })).rejects.toThrow(
    /no demonstrator/,
  );
});

test("a teacher that has no finite opinion of a token is an error", async () => {
  const broken: Scorer = {
    statistics: ["logprob"],
    score: (rows) =>
      Promise.resolve(
        rows.map(({ ids }): RowStatistics => ({ logprob: new Float32Array(ids.length).fill(-Infinity) })),
      ),
  };
  const teacher = { scorer: broken, learned: () => undefined, state: undefined };
  await expect(taught({ context: "none", candidates: null }, { teacher })).rejects.toThrow(
    /log-probability of token 0 at step 0 of ".*" is -Infinity/,
  );
});

test("a routed teacher scores each trajectory by its own scorer", async () => {
  const constant = (value: number): Scorer => ({
    statistics: ["logprob"],
    score: (rows) =>
      Promise.resolve(rows.map(({ ids }): RowStatistics => ({ logprob: new Float32Array(ids.length).fill(value) }))),
  });
  const [one, two] = [constant(-1), constant(-2)];
  const teacher = {
    scorer: one,
    scorerFor: ({ success }: { readonly success: boolean | null }) => (success === true ? one : two),
    learned: () => undefined,
    state: undefined,
  };
  const { episodes, said, model } = await taught({ context: "none", candidates: null }, { teacher });
  for (const { id, success } of episodes) {
    expect(said.opinions.get(id)?.get(0)?.episode?.[0]).toBe(success === true ? -1 : -2);
  }
  await (model satisfies LocalModel).close();
});

test("what the teacher and the contexts took is booked", async () => {
  const { episodes, said, cost, model } = await taught({
    context: "reference-solution",
    candidates: 4,
    support: "student",
  });
  // The demonstrator goes east twice in the task.
  expect(cost.environmentSteps).toBe(2);
  // The policy reads its own episodes twice, for its likely words and for the sampled ones; the teacher what it was told.
  const own = episodes.reduce((total, { streams }) => total + (streams[0]?.ids.length ?? 0), 0);
  expect(cost.modelTokens).toBe(2 * own + said.tokens);
  expect(said.tokens).toBeGreaterThan(responses(episodes.flatMap(({ steps }) => steps)));
  await model.close();
});

test("a union has no word twice", () => {
  const candidates = (count: number, ids: readonly number[]) => ({
    count,
    ids: Int32Array.from(ids),
    logprobs: new Float32Array(ids.length),
  });
  // The teacher's 1, 2; of ours 7 is new and 1 is not; so the teacher's third fills up.
  const { count, ids } = unionOf(candidates(4, [1, 2, 3, 4]), candidates(2, [7, 1]));
  expect([count, [...ids]]).toEqual([4, [1, 2, 7, 3]]);
});
