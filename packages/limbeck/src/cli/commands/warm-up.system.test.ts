import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EASY_SUMS, TINY_HOUSEHOLD, TWO_LESSONS, WARM_UP } from "../../../../../test/support/small-command-lines.ts";
import { workplace } from "../../../../../test/support/workplace.ts";
import { bundledModel } from "limbeck-policy/policy/local/bundled-model";
import { openModel } from "limbeck-policy/policy/local/open-model";

const { folder, run } = workplace({ model: "base", fresh: true });
const warm = (words: readonly string[]) => run([...WARM_UP, ...words]);

test("the same seed gives the same weights", async () => {
  const weights = async (out: string, seed: string): Promise<Buffer> => {
    await warm(["--out", out, "--seed", seed]);
    return await readFile(join(folder(), out, "model.safetensors"));
  };
  const first = await weights("a", "1");
  expect(first.equals(await weights("b", "1"))).toBe(true);
  expect(first.equals(await weights("c", "2"))).toBe(false);
});

test("new words keep what the base knows: a word begins as the mean of the tokens it was spelt with", async () => {
  const { code } = await run([
    "warm-up",
    ...EASY_SUMS,
    "--base",
    "household",
    "--words",
    "new",
    "--demonstrations",
    "6",
    ...TWO_LESSONS,
    "--steps",
    "1",
    "--learning-rate",
    "0",
    "--out",
    "made",
  ]);
  expect(code).toBe(0);
  const [base, made] = await Promise.all(
    [bundledModel("household"), join(folder(), "made")].map((one) => openModel(one, { threads: 1 })),
  );
  const name = "model.layers.0.mlp.up_proj.weight";
  expect(made?.weights.views[name]).toEqual(base?.weights.views[name]);
  const row = (model: typeof base, id: number): number[] => [
    ...(model?.weights.views["model.embed_tokens.weight"]?.subarray(128 * id, 128 * (id + 1)) ?? []),
  ];
  const means = (text: string): number[] => {
    const parts = [...(base?.tokenizer?.encode(text) ?? [])].map((id) => row(base, id));
    const sum = (at: number): number => parts.reduce((total, part) => total + (part[at] as number), 0);
    return row(base, 0).map((_, at) => Math.fround(sum(at) / parts.length));
  };
  const ids = [...(made?.tokenizer?.encode("Use each number exactly once.") ?? [])];
  const longer = ids.filter((id) => (made?.tokenizer?.decode([id]).length ?? 0) > 1);
  expect(longer.length).toBeGreaterThan(2);
  expect(longer.map((id) => row(made, id))).toEqual(longer.map((id) => means(made?.tokenizer?.decode([id]) ?? "")));
  await Promise.all([base?.close(), made?.close()]);
});

test("recorded good runs, or a larger model's successes, stand in the place of a demonstrator", async () => {
  await run(["rollout", ...EASY_SUMS, "--policy", "expert", "--count", "10", "--group", "1", "--run", "good"]);
  const recorded = await warm(["--out", "made", "--from", "good", "--json"]);
  // A fifth of the ten tasks is kept for measuring advice: two of them.
  expect(recorded.objects().at(-1)).toMatchObject({
    from: "the run good",
    demonstrations: 8,
    measured: { right: { tasks: 2 } },
  });
  const played = await warm(["--out", "other", "--policy", "expert", "--best-of", "2", "--json"]);
  expect(played.objects().at(-1)).toMatchObject({ from: "successes of expert, 2 episodes a task", demonstrations: 10 });
  await run(["rollout", ...TINY_HOUSEHOLD, "--policy", "expert", "--count", "1", "--run", "foreign"]);
  const foreign = await warm(["--out", "third", "--from", "foreign"]);
  expect([foreign.code, foreign.err]).toEqual([
    3,
    expect.stringContaining('none of these is of a task of "countdown"'),
  ]);
});
