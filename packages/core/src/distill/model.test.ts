import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { tinyConfig } from "../../../../test/support/tiny-model.ts";
import { trainBytePair } from "limbeck-policy/policy/local/byte-pair";
import { createModel, openModel } from "limbeck-policy/policy/local/open-model";
import { openTeacher } from "./index.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-teacher-"));
  await writeTinyModel(join(folder, "one"), 1);
  await writeTinyModel(join(folder, "two"), 2);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("its scores are those of the other folder's weights, and it acts by itself", async () => {
  const student = await openModel(join(folder, "one"), { threads: 1 });
  const other = await openModel(join(folder, "two"), { threads: 1 });
  const source = join(folder, "two");
  const teacher = await openTeacher("model", student, { start: student.weights, decay: 0, source, threads: 1 });
  const row = { ids: Int32Array.of(1, 2, 3) };
  expect(await teacher.scorer.score([row])).toEqual(await other.score([row]));
  expect(teacher.policy).toBeDefined();
  await Promise.all([student.close(), other.close(), teacher.close?.()]);
});

test("another tokenizer is refused, with the way out", async () => {
  const tokenizer = trainBytePair(["quite other words"], { vocabularySize: 270 });
  const student = await createModel({ ...tinyConfig, vocabularySize: 288 }, { seed: 1, tokenizer, threads: 1 });
  const source = join(folder, "two");
  await expect(openTeacher("model", student, { start: student.weights, decay: 0, source })).rejects.toThrow(
    /other tokens than the policy. Use the teacher "aligned"/,
  );
  await student.close();
});

test("without a folder it says what it needs", async () => {
  const student = await openModel(join(folder, "one"), { threads: 1 });
  await expect(openTeacher("model", student, { start: student.weights, decay: 0 })).rejects.toThrow(
    /needs teacherSource: the folder/,
  );
  await student.close();
});
