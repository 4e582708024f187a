import { beforeAll, describe, expect, test } from "vitest";
import { oneTask, smallModel, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import {
  asSaidBy,
  boldTeacher,
  near,
  stepValues,
  sum,
  times,
  walked,
  watchRecipe,
} from "../../../../test/support/recipe-walks.ts";
import { mean } from "limbeck-base/base/statistics/summary";
import type { Scorer } from "limbeck-policy/policy/policy";
import type { TrainRow } from "limbeck-policy/policy/objective";
import type { Analyst } from "../skill/skill.ts";
import { createStatisticsAnalyst } from "../skill/statistics/statistics.ts";
import { byGroup } from "limbeck-base/trajectory/rows";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";

recipeContract("opid");

const FORMS = [
  ["the shift of sampled tokens", { form: "shift" }],
  ["forward divergence", { form: "forward" }],
  ["forward divergence on candidates", { form: "forward", candidates: 8 }],
  ["reverse divergence", { form: "reverse", candidates: 8 }],
  ["a running average as the teacher", { teacher: "ema" }],
  ["the policy itself as the teacher", { teacher: "self", form: "shift", "credit.episodeWeight": 0.1 }],
  ["both skills at once", { routing: "both_at_once" }],
  ["each level on its own", { routing: "additive", form: "shift", "credit.episodeWeight": 1, "credit.stepWeight": 1 }],
] as const;

describe("in every form", () => {
  /** The weights of an update without a teacher. */
  let plain = new Float32Array();
  beforeAll(async () => {
    const { model } = await tryRecipe("opid", { collect: oneTask, given: { stopAfter: 0 } });
    plain = model.weights.flat.slice();
    await model.close();
  });
  test.each(FORMS)("with %s skills are written, scored and learned from", async (_name, given) => {
    const { record, before, model } = await tryRecipe("opid", { collect: oneTask, given });
    try {
      expect(record.analyses.size).toBe(6);
      expect(record.taught?.opinions.size).toBeGreaterThan(0);
      expect(record.diagnostics?.active).toBeGreaterThan(0.5);
      expect(model.weights.flat).not.toEqual(before);
      // The teacher makes a difference.
      expect(model.weights.flat).not.toEqual(plain);
    } finally {
      await model.close();
    }
  });
});

/** Counts what is asked of it. */
function counting(inner: Analyst): Analyst & { readonly asked: () => number } {
  let asked = 0;
  return {
    id: inner.id,
    asked: () => asked,
    analyse: (group, options) => {
      asked += 1;
      return inner.analyse(group, options);
    },
  };
}

test("with the teacher off by schedule, or stopped by the guard, no analysis is paid for", async () => {
  for (const parts of [{ given: { startAfter: 1 } }, { given: { stopAfter: 0 } }, { silenced: true }]) {
    const analyst = counting(createStatisticsAnalyst());
    const { record, model } = await tryRecipe("opid", { ...parts, collect: oneTask, analyst });
    expect(analyst.asked()).toBe(0);
    expect(record.taught).toBeUndefined();
    await model.close();
  }
});

test("every second update: the first is taught, the second learns as if there were no teacher", async () => {
  const given = { teachEvery: 2 };
  expect(await learned(1, given)).toEqual(await learned(1, {}));
  expect(await learned(2, given)).toEqual(await learned(2, { stopAfter: 0 }));
});

test("groups that differ: nobody is taught where all failed or all succeeded", async () => {
  const { record, model } = await tryRecipe("opid", { given: { teachGroups: "differing" } });
  const groups = byGroup(record.episodes).map(({ trajectories }) => trajectories);
  const differ = groups.filter((group) => {
    const solved = group.filter(({ success }) => success === true).length;
    return solved > 0 && solved < group.length;
  });
  // Some do and some do not, or the test shows nothing.
  expect([differ.length > 0, differ.length < groups.length]).toEqual([true, true]);
  expect([...record.analyses.keys()].sort()).toEqual(
    differ
      .flat()
      .map(({ id }) => id)
      .sort(),
  );
  await model.close();
});

/** The weights of the model after one update. */
async function learned(update: number, given: Readonly<Record<string, unknown>>): Promise<Float32Array> {
  const { model } = await tryRecipe("opid", { collect: oneTask, update, given });
  const weights = model.weights.flat.slice();
  await model.close();
  return weights;
}

test("a teacher that fades has half its weight half way, in either form, and is off at the end", async () => {
  const halved = { "credit.episodeWeight": 0.15, "credit.stepWeight": 0.15 };
  expect(await learned(3, { form: "shift", fadeOver: 4 })).toEqual(await learned(3, { form: "shift", ...halved }));
  expect(await learned(3, { fadeOver: 4 })).toEqual(await learned(3, { divergenceWeight: 0.5 }));
  expect(await learned(5, { fadeOver: 4 })).toEqual(await learned(5, { stopAfter: 0 }));
});

test("failed only: successes are siblings, not pupils", async () => {
  const { record, model } = await tryRecipe("opid", { collect: oneTask, given: { failedOnly: true } });
  const failed = record.episodes.filter(({ success }) => success === false).map(({ id }) => id);
  expect([...record.analyses.keys()].sort()).toEqual(failed.sort());
  await model.close();
});

test("an analyst that fails costs the teacher, not the update", async () => {
  const analyst: Analyst = {
    id: "broken",
    analyse: (group) =>
      Promise.resolve(
        group.map(({ id }) => ({
          trajectory: id,
          outcome: "unknown" as const,
          stepSkills: new Map(),
          error: { code: "analysis-failed", message: "no answer" },
        })),
      ),
  };
  const { record, model, before } = await tryRecipe("opid", { collect: oneTask, analyst });
  expect(record.metrics["analyst/failed"]).toBe(6);
  expect(record.taught?.opinions.size).toBe(0);
  expect(model.weights.flat).not.toEqual(before);
  await model.close();
});

/** Known walks, as the small model would have said them; the invalid waits cost nothing, so that the credit is plain. */
async function walkedBy(given: Readonly<Record<string, unknown>>, walks: Readonly<Record<string, string>>) {
  const model = await smallModel();
  const collect = async () => await asSaidBy(model, await walked(walks));
  return await watchRecipe("opid", {
    model,
    teacher: boldTeacher(model),
    collect,
    given: { ...given, "credit.invalidPenalty": 0 },
  });
}

test("as a shift: every token has its step's credit and 0.3 times what the teacher thinks more of exactly that token", async () => {
  const given = { form: "shift", failedOnly: true };
  const { record, first, model } = await walkedBy(given, { straight: "east east", idle: "east" });
  const credits = stepValues(record.episodes, first.rows);
  // Episodes, over steps: 1, 1 and five times 0, mean 2/7. Returns from room 1: 0.95 and 0; from room 2: 1 and four
  // times 0. Only the failed episode has a teacher, so that the other has this credit alone.
  const plain = {
    straight: [5 / 7 + 0.475, 5 / 7 + 0.8],
    idle: [-2 / 7 - 0.475, ...times(4, -2 / 7 - 0.2)],
  };
  expect(credits["straight"]).toEqual(plain.straight.map((one) => near(times(8, one))));
  const [idle] = record.episodes.filter(({ id }) => id === "idle");
  const taught = (idle?.steps ?? []).map(({ index, span }) => {
    const opinion = record.taught?.opinions.get("idle")?.get(index);
    // A critical step is scored with its own advice, any other with that of the episode.
    const teacher = [...(opinion?.step ?? opinion?.episode ?? [])];
    const old = [...(idle?.streams[0]?.logprobs?.subarray(span?.start, span?.end) ?? [])];
    expect(teacher).toHaveLength(old.length);
    return teacher.map((one, at) => (plain.idle[index] ?? Number.NaN) + 0.3 * (one - (old[at] ?? Number.NaN)));
  });
  expect(credits["idle"]).toEqual(taught.map((own) => near(own)));
  expect([...(record.taught?.opinions.keys() ?? [])]).toEqual(["idle"]);
  await model.close();
});

/** Log-probabilities of every word at every token of the rows. */
async function everyWord(scorer: Scorer, rows: readonly TrainRow[], words: number): Promise<Float32Array[]> {
  const asked = rows.map(({ ids, mask }) => ({
    ids,
    mask,
    candidates: { count: words, ids: Int32Array.from({ length: ids.length * words }, (_, at) => at % words) },
  }));
  const scored = await scorer.score(asked, { statistics: ["candidates"] });
  return scored.map(({ candidates }) => candidates as Float32Array);
}

test("as a forward divergence: rows carry the teacher's words at the answers alone, and the policy moves to them", async () => {
  // All arrive, so that nothing but the teacher has a part.
  const given = { "credit.stepAdvantageWeight": 0 };
  const walks = { straight: "east east", slow: "wait east east", round: "east west east east" };
  const { record, update, first, model } = await walkedBy(given, walks);
  expect(first.rows.flatMap(({ advantages }) => [...(advantages ?? [])]).every((one) => one === 0)).toBe(true);
  const size = model.config.vocabularySize;
  const [before, after] = [await everyWord(update.start, first.rows, size), await everyWord(model, first.rows, size)];
  const [rises, far, later]: [number[], number[], number[]] = [[], [], []];
  for (const [row, { ids, mask, teacher = new Float32Array(), trajectory = "" }] of first.rows.entries()) {
    const wanted = new Float32Array(ids.length * size);
    for (const { index, span } of record.episodes.find(({ id }) => id === trajectory)?.steps ?? []) {
      wanted.set(record.taught?.opinions.get(trajectory)?.get(index)?.distribution ?? [], (span?.start ?? 0) * size);
    }
    expect(teacher).toEqual(wanted);
    for (const at of [...mask.keys()].filter((token) => mask[token] === 1)) {
      const part = (all: Float32Array | undefined): number[] => [...(all?.subarray(at * size, (at + 1) * size) ?? [])];
      const said = part(teacher);
      // A whole distribution.
      expect(sum(said.map(Math.exp))).toBeCloseTo(1, 4);
      const [then, now] = [part(before[row]), part(after[row])];
      const gap = said.map((one, word) => Math.exp(one) - Math.exp(then[word] ?? 0));
      const preferred = gap.indexOf(Math.max(...gap));
      rises.push((now[preferred] ?? 0) - (then[preferred] ?? 0));
      const divergence = (own: readonly number[]): number =>
        sum(said.map((one, word) => Math.exp(one) * (one - (own[word] ?? 0))));
      far.push(divergence(then));
      later.push(divergence(now));
    }
  }
  // 8 and 5 tokens an answer: 2, 2 and 4 steps east or west and one wait.
  expect(rises).toHaveLength(8 * 8 + 5);
  // The loss is the mean divergence of these tokens and nothing else.
  expect(first.report.loss).toBeCloseTo(mean(far), 5);
  expect(mean(later)).toBeLessThan(mean(far));
  expect(mean(rises)).toBeGreaterThan(0);
  await model.close();
});
