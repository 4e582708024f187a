import { expect, test } from "vitest";
import { episodeOf } from "../../../../test/support/context-bench.ts";
import { taughtModel } from "../../../../test/support/taught-model.ts";
import { openTeacher } from "./index.ts";

const model = taughtModel([1]);
const routed = (source: string) => openTeacher("routed", model, { start: model.weights, decay: 0.5, source });

test("each family has its teacher, and the rest the one of *", async () => {
  const teacher = await routed("heat=self, *=reference");
  const plain = episodeOf("a", []);
  const heat = { ...plain, task: { ...plain.task, data: { family: "heat" } } };
  expect(teacher.scorerFor?.(heat)).toBe(model);
  expect(teacher.scorerFor?.(plain)).toBe(teacher.scorer);
  expect(teacher.scorer).not.toBe(model);
});

test("a list without * or without a family is refused", async () => {
  await expect(routed("heat=self")).rejects.toThrow(/none for other families/);
  await expect(routed("self")).rejects.toThrow(/FAMILY=TEACHER/);
});
