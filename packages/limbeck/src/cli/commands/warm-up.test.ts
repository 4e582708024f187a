import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EASY_SUMS, TWO_LESSONS, WARM_UP } from "../../../../../test/support/small-command-lines.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";
import { workplace } from "../../../../../test/support/workplace.ts";

const { folder, run } = workplace({ model: "base", fresh: true });
const warm = (words: readonly string[]) => run([...WARM_UP, ...words]);

test("from the demonstrator to a folder with a card that a training takes at once", async () => {
  const { code, err, objects } = await warm(["--out", "made", "--json"]);
  expect([code, err]).toEqual([0, ""]);
  const events = objects();
  expect(events.map(({ event }) => event)).toEqual([
    "shown",
    "baselines",
    "words",
    "evaluation",
    "update",
    "evaluation",
    "update",
    "evaluation",
    undefined,
  ]);
  expect(events[0]).toMatchObject({ from: "expert", solved: 6, played: 6 });
  const card = events.at(-1) as Record<string, unknown>;
  // Six plain lessons are three fifths of ten.
  expect(card).toMatchObject({
    demonstrations: 6,
    lessons: 10,
    seed: 1,
    stopped: "updates",
    base: join(folder(), "base"),
  });
  expect(card["measured"]).toMatchObject({
    none: { tasks: 2 },
    sampled: { tasks: 2 },
    right: { tasks: 2 },
    wrong: { tasks: 2 },
  });
  expect(card["verdict"]).toMatchObject({ succeeds: false, follows: false });
  const { model: _, ...kept } = card;
  expect(JSON.parse(await readFile(join(folder(), "made", "warm-up.json"), "utf8"))).toEqual(kept);
  const text = await readFile(join(folder(), "made", "README.md"), "utf8");
  expect(text).toContain("- shown by: the demonstrator expert, 6 episodes; 10 lessons, 40% of them with advice");
  expect(text).toContain("It did not get there: success 0.00 without advice");
  const small = ["tasks=1", "group=2", "answerTokens=4", "maxSteps=1"].flatMap((setting) => ["--set", setting]);
  const trained = await run([
    "train",
    ...EASY_SUMS,
    "--model",
    "made",
    "--recipe",
    "grpo",
    "--steps",
    "1",
    "--report-tasks",
    "1",
    "--validate-every",
    "0",
    ...small,
    "--threads",
    "1",
  ]);
  expect(trained.code).toBe(0);
});

test("a person reads what was shown, how the words are cut, each validation, and how to go on", async () => {
  const { out, err } = await warm(["--steps", "1"]);
  expect(out).toContain("Shown by expert: 6 of 6 episodes succeeded");
  expect(out).toMatch(/Words: \d\.\d tokens each\. Episodes: \d+ tokens, \d+ at most, of a context of 1024\./);
  expect(out).toMatch(/update 1 {2}validation success 0\.000 \[/);
  expect(out).toMatch(/With right advice {5}0\.000/);
  expect(out).toMatch(
    /Go on: limbeck train --env countdown --model models\/countdown --recipe grpo --steps 40 --set tasks=16 --set learningRate=0\.0001 --set answerTokens=\d+/,
  );
  expect(err).toContain("! It did not get there");
});

test.each([
  [["--out", "base"], 2, 'base" is there already'],
  [["--base", "nothing"], 2, "No base"],
  [["--until", "2"], 2, "--until must be a number from 0 to 1"],
  [["--from", "x", "--policy", "chat"], 2, "give one of them"],
  [["--demonstrator", "nobody"], 2, "nobody"],
])("%j is refused before anything is played", async (words, code, message) => {
  const ran = await warm(words);
  expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(message)]);
  expect(await readdir(folder())).toEqual(["base"]);
});

test("episodes that do not fit the context end it before anything is learnt", async () => {
  await writeTinyModel(join(folder(), "short"), 1, 60);
  const { code, err } = await run([
    "warm-up",
    ...EASY_SUMS,
    "--base",
    "short",
    "--demonstrations",
    "4",
    ...TWO_LESSONS,
  ]);
  expect([code, err]).toEqual([
    3,
    expect.stringMatching(/\d of \d episodes do not fit the model's context of 60 tokens/),
  ]);
  expect(await readdir(folder())).toEqual(["base", "short"]);
});
