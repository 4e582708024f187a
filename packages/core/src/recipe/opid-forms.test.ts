/** Forms of OPID's teacher: it retires, its skills are tried first, or something fixed stands in its place. */
import { describe, expect, test } from "vitest";
import { oneTask, smallModel, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import {
  asSaidBy,
  boldTeacher,
  near,
  stepValues,
  times,
  walked,
  watchRecipe,
} from "../../../../test/support/recipe-walks.ts";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import type { Analyst } from "../skill/skill.ts";
import { createStatisticsAnalyst } from "../skill/statistics/statistics.ts";

/** One walk that arrives and one that does not, as the small model would have said them. */
async function walkedBy(
  given: Readonly<Record<string, unknown>>,
  analyst: Analyst = createStatisticsAnalyst(),
  update = 1,
) {
  const model = await smallModel();
  return await watchRecipe("opid", {
    model,
    update,
    analyst,
    teacher: boldTeacher(model),
    collect: async () => await asSaidBy(model, await walked({ straight: "east east", idle: "east" })),
    given: { ...given, "credit.invalidPenalty": 0 },
  });
}

// As in opid.test.ts. Episodes, over steps: 1, 1 and five times 0, mean 2/7. Returns from room 1: 0.95 and 0; from room
// 2: 1 and four times 0.
const PLAIN = {
  straight: [5 / 7 + 0.475, 5 / 7 + 0.8],
  idle: [-2 / 7 - 0.475, ...times(4, -2 / 7 - 0.2)],
};

const unasked: Analyst = {
  id: "unasked",
  analyse: () => {
    throw new Error("No skill is needed.");
  },
};

describe("one fixed negative advantage in the teacher's place", () => {
  test("fixed-negative: 0.3 less for every token of the failed episode, and nobody is asked", async () => {
    const { record, first, model, update } = await walkedBy({ form: "fixed-negative" }, unasked);
    const silent = await walkedBy({ stopAfter: 0 }, unasked);
    const credits = stepValues(record.episodes, first.rows);
    // "go east" and the end of the answer are 8 tokens, "wait" and the end 5.
    expect(credits["straight"]).toEqual(PLAIN.straight.map((one) => near(times(8, one))));
    expect(credits["idle"]).toEqual(PLAIN.idle.map((one, at) => near(times(at === 0 ? 8 : 5, one - 0.3))));
    expect(record.metrics["teacher/fixedTokens"]).toBe(8 + 4 * 5);
    expect(record.taught).toBeUndefined();
    // It costs what an update without a teacher costs.
    expect(update.ledger.cost).toEqual(silent.update.ledger.cost);
    await Promise.all([model.close(), silent.model.close()]);
  });

  test("fixed-negative: the weight is the credit method's, and fades with it", async () => {
    // Two of four updates have passed, so that half of it is left.
    const given = { form: "fixed-negative", "credit.episodeWeight": 0.8, fadeOver: 4 };
    const { record, first, model } = await walkedBy(given, unasked, 3);
    const credits = stepValues(record.episodes, first.rows);
    expect(credits["idle"]?.[0]).toEqual(near(times(8, -2 / 7 - 0.475 - 0.4)));
    await model.close();
  });

  test("push-down: 0.3 less for exactly the tokens that the teacher finds less likely", async () => {
    const { record, first, model } = await walkedBy({ form: "push-down", failedOnly: true });
    const credits = stepValues(record.episodes, first.rows);
    expect(credits["straight"]).toEqual(PLAIN.straight.map((one) => near(times(8, one))));
    const [idle] = record.episodes.filter(({ id }) => id === "idle");
    let pushed = 0;
    const wanted = (idle?.steps ?? []).map(({ index, span }) => {
      const opinion = record.taught?.opinions.get("idle")?.get(index);
      const old = idle?.streams[0]?.logprobs?.subarray(span?.start, span?.end) ?? new Float32Array();
      const down = [...(opinion?.step ?? opinion?.episode ?? [])].map((one, at) => one < (old[at] as number));
      pushed += down.filter(Boolean).length;
      return down.map((is) => (PLAIN.idle[index] as number) - (is ? 0.3 : 0));
    });
    expect(credits["idle"]).toEqual(wanted.map((own) => near(own)));
    expect(record.metrics["teacher/fixedTokens"]).toBe(pushed);
    // Some and not all, or the test shows nothing.
    expect([pushed > 0, pushed < 8 + 4 * 5]).toEqual([true, true]);
    await model.close();
  });
});

describe("a teacher that retires", () => {
  const before = { firstGaps: [9, 9, 9], lastGaps: [9, 9, 9], lastSuccess: [0, 0, 0], retiredAt: null };

  test("once the student has caught up it retires, says so and keeps it", async () => {
    const kept = { retirement: before };
    const { record, model } = await tryRecipe("opid", { collect: oneTask, update: 7, kept, given: { retireBelow: 1 } });
    const { mean = 0, deviation = 0 } = record.diagnostics?.all ?? {};
    const gap = Math.sqrt(mean ** 2 + deviation ** 2);
    // Some six nats: the episodes are those of a walker that the small model knows nothing of.
    expect(gap).toBeLessThan(9);
    expect(record.metrics["teacher/gap"]).toBeCloseTo(gap, 9);
    expect(record.metrics["teacher/retired"]).toBe(1);
    const solved = record.episodes.filter(({ success }) => success === true).length;
    expect(record.kept).toEqual({
      retirement: {
        ...before,
        lastGaps: [9, 9, expect.closeTo(gap, 9)],
        lastSuccess: [0, 0, solved / 6],
        retiredAt: 7,
      },
    });
    expect(record.notices.join()).toMatch(/Update 7: the teacher retires\..* 9\.00, 9\.00, \d\.\d+ nats/);
    await model.close();
  });

  test("by success alone, and not before it is reached", async () => {
    const kept = { retirement: { ...before, lastSuccess: [1, 1, 1] } };
    // Two updates without a failure and one with some: at least two thirds.
    for (const [level, retired] of [
      [2 / 3, 1],
      [1, 0],
    ]) {
      const { record, model } = await tryRecipe("opid", {
        collect: oneTask,
        update: 7,
        kept,
        given: { retireAtSuccess: level },
      });
      expect(record.metrics["teacher/retired"]).toBe(retired);
      await model.close();
    }
  });

  test("a retired one is not asked, and the update learns as if there were none", async () => {
    const kept = { retirement: { ...before, retiredAt: 6 } };
    const retired = await tryRecipe("opid", {
      collect: oneTask,
      update: 7,
      kept,
      analyst: unasked,
      given: { retireBelow: 0.5 },
    });
    const plain = await tryRecipe("opid", { collect: oneTask, update: 7, given: { stopAfter: 0 } });
    expect(retired.model.weights.flat).toEqual(plain.model.weights.flat);
    expect(retired.record.kept).toEqual(kept);
    expect(retired.record.metrics["teacher/retired"]).toBe(1);
    expect(retired.record.notices).toEqual([]);
    await Promise.all([retired.model.close(), plain.model.close()]);
  });

  test("without the setting nothing is kept", async () => {
    const { record, model } = await tryRecipe("opid", { collect: oneTask });
    expect([record.kept, record.metrics["teacher/retired"]]).toEqual([null, undefined]);
    await model.close();
  });
});

describe("skills that are tried first", () => {
  test.each([
    ["solves", "go east", 1],
    ["fails", "wait", 0],
  ])("a teacher that %s with them: the group is taught, or it is not", async (_what, action, helpful) => {
    const policy = createScriptedPolicy({ script: () => action });
    const model = await smallModel();
    const { record, update } = await watchRecipe("opid", {
      model,
      teacher: boldTeacher(model),
      teacherPolicy: () => policy,
      collect: async () => await asSaidBy(model, await walked({ straight: "east east", idle: "east" })),
      given: { replaySkills: 2 },
    });
    // Half of the group arrived, by 2 and 5 steps; two tries with the skill take two steps east each, or five in vain.
    expect(record.metrics).toMatchObject({ "replay/tasks": 1, "replay/helpful": helpful, "replay/success": helpful });
    expect(update.ledger.cost.environmentSteps).toBe(2 + 5 + (helpful === 1 ? 2 * 2 : 2 * 5));
    expect(record.taught?.opinions.size).toBe(2 * helpful);
    expect(record.metrics["context/missing"]).toBe(2 - 2 * helpful);
    await model.close();
  });
});
