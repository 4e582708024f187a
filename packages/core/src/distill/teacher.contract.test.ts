import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { testTrainer } from "../../../../test/support/trainer.ts";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { copyWeights } from "limbeck-policy/policy/local/weights";
import { openTeacher, teachers } from "./index.ts";
import type { Teacher, TeacherId } from "./teacher.ts";
import { teacherContract } from "./teacher.contract.ts";

let folder = "";
let model: LocalModel;
let url = "";
const VOCABULARY = 288;
// Tokens of the tokenizer; the model is padded to a rounder number.
const known = Array.from({ length: 280 }, (_, id) => id);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-teachers-"));
  await writeTinyModel(join(folder, "student"), 1);
  await writeTinyModel(join(folder, "teacher"), 2);
  model = await openModel(join(folder, "student"), { threads: 1 });
});
afterAll(async () => {
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

const sources: Readonly<Record<TeacherId, () => string | null>> = {
  aligned: () => join(folder, "teacher"),
  ema: () => null,
  endpoint: () => `tinker ${url}`,
  mixture: () => `reference*0.25, model:${join(folder, "teacher")}*0.75`,
  model: () => join(folder, "teacher"),
  reference: () => null,
  routed: () => `heat=model:${join(folder, "teacher")}, *=ema`,
  self: () => null,
};

const open = async (name: TeacherId): Promise<Teacher> =>
  await openTeacher(name, model, {
    start: copyWeights(model.weights),
    decay: 0.5,
    source: sources[name](),
    threads: 1,
    environment: { TINKER_API_KEY: "tml-tests" },
  });

describe("with a trainer", () => {
  beforeAll(async () => {
    url = (await testTrainer({ model: join(folder, "teacher") })).url;
  });
  for (const name of Object.keys(teachers) as TeacherId[]) {
    teacherContract({
      name,
      open: () => open(name),
      vocabularySize: VOCABULARY,
      ids: known,
      runner: { describe, test },
    });
  }
});

test("a teacher that breaks a promise is found", async () => {
  const found: string[] = [];
  const tests: Promise<void>[] = [];
  const positive: Teacher = {
    scorer: {
      statistics: ["logprob"],
      score: (rows) => Promise.resolve(rows.map(({ ids }) => ({ logprob: new Float32Array(ids.length).fill(1) }))),
    },
    learned: () => undefined,
    state: undefined,
  };
  teacherContract({
    name: "wrong",
    open: () => Promise.resolve(positive),
    vocabularySize: 8,
    runner: {
      describe: (_name, body) => body(),
      test: (title, body) => {
        tests.push(body().catch(() => void found.push(title)));
      },
    },
  });
  await Promise.all(tests);
  expect(found).toEqual([
    "log-probabilities are finite, at most 0, and only where asked",
    "what it cannot compute is refused by name",
  ]);
});
