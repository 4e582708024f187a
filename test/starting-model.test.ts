/** The lessons of the bundled model, and the folder that came of them. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRng } from "../packages/base/src/base/rng.ts";
import { createHousehold } from "../packages/worlds/src/household/household.ts";
import { bundledModel } from "../packages/policy/src/policy/local/bundled-model.ts";
import { createChatDialect } from "../packages/policy/src/policy/local/chat-dialect.ts";
import { loadTokenizer } from "../packages/policy/src/policy/local/load-tokenizer.ts";
import type { Task } from "../packages/base/src/trajectory/trajectory.ts";
import { chooseOption } from "../research/starting-model/advice.ts";
import { startFollower } from "../research/starting-model/follower.ts";
import { playLesson, type Lesson } from "../research/starting-model/lesson.ts";
import { partsOf } from "../research/starting-model/parallel-learner.ts";
import { joinRows, packLesson, splitRows, unpackRow } from "../research/starting-model/rows.ts";
import { tryGame, withoutDetours } from "../research/starting-model/scouting.ts";
import { settings } from "../research/starting-model/settings.ts";
import { lessonsOf } from "../research/starting-model/shards.ts";

const env = createHousehold({ dial: "tiny" });

async function lessons(count: number): Promise<Lesson[]> {
  const made: Lesson[] = [];
  for await (const lesson of lessonsOf(settings, { offset: 0, count }, "advice")) made.push(lesson);
  return made;
}

async function tasksOf(split: string, count: number): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of env.tasks(split, { count })) tasks.push(task);
  return tasks;
}

test("the same games give the same lessons, from the training split alone", async () => {
  const made = await lessons(12);
  expect(made).toStrictEqual(await lessons(12));
  const openings = new Set<string>();
  for (const task of await tasksOf("train", 12)) openings.add((await env.open(task)).observation);
  for (const { decisions } of made) {
    const [opening = ""] = decisions[0]?.message.split("\n\nSkill: [") ?? [];
    expect(openings).toContain(opening.split("\n\nHint: [")[0]);
  }
});

test("the commands of a workflow win its game", async () => {
  for (const task of await tasksOf("train", 18)) {
    const { actions, success } = await tryGame(env, task, createRng(1), true);
    expect(success).toBe(true);
    const episode = await env.open(task);
    for (const action of withoutDetours(actions)) await episode.step(action);
    expect(episode.success).toBe(true);
  }
});

test("a follower finds back to its plan after slips", async () => {
  for (const task of await tasksOf("train", 12)) {
    const { actions } = await tryGame(env, task, createRng(2), true);
    const plan = withoutDetours(actions);
    if (plan.length > 8) continue;
    const follower = startFollower(plan);
    const { success } = await playLesson(env, task, "workflow", {
      choose: (seen, _episode, step) => {
        const action = follower.next(seen, "look");
        return { action: step === 1 || step === 3 ? "inventory" : action };
      },
    });
    expect(success).toBe(true);
  }
});

test("advice is followed, warnings are heeded, and what is left is drawn by weight", () => {
  const ways = ["a", "b", "c"].map((command) => ({ option: { command }, weight: 1 }));
  const rng = createRng(0);
  expect(chooseOption(ways, { preferred: ["b"], avoided: [] }, rng).command).toBe("b");
  expect(chooseOption(ways, { preferred: [], avoided: ["a", "c"] }, rng).command).toBe("b");
  expect(["a", "b", "c"]).toContain(chooseOption(ways, { preferred: [], avoided: ["a", "b", "c"] }, rng).command);
});

test("wordings that are kept back do not occur in lessons", async () => {
  const text = JSON.stringify(await lessons(40));
  for (const words of ["Proven path", "Recipe |", "An expert would", "Consider this", "activate", "proceed to"]) {
    expect(text).not.toContain(words);
  }
});

test("rows survive packing: decisions weigh 1, what is read after the opening a little, slips and openings nothing", async () => {
  const dialect = await createChatDialect(await loadTokenizer(bundledModel("household")));
  const lesson: Lesson = {
    kind: "unadvised",
    success: false,
    decisions: [
      { message: "You see a bed 1.", action: "go to bed 1", learnt: true },
      { message: "Nothing happens.", action: "look", learnt: false },
    ],
  };
  const [packed] = splitRows(joinRows([packLesson(lesson, dialect)])) as [Uint16Array];
  const { ids, weights } = unpackRow(packed, 0.25);
  const parts = [
    { tokens: dialect.opening("You see a bed 1."), weight: 0 },
    { tokens: dialect.reply("go to bed 1"), weight: 1 },
    { tokens: dialect.turn("Nothing happens."), weight: 0.25 },
    { tokens: dialect.reply("look"), weight: 0 },
  ];
  expect([...ids]).toStrictEqual(parts.flatMap(({ tokens }) => [...tokens]));
  expect([...(weights ?? [])]).toStrictEqual(parts.flatMap(({ tokens, weight }) => [...tokens].map(() => weight)));
});

test("a batch is parted without loss, neighbours in length together", () => {
  const rows = [5, 40, 10, 20, 20, 5].map((length) => ({ ids: new Int32Array(length), mask: new Uint8Array(length) }));
  // 100 tokens: the longest row is the first 40; the middles of 20, 20, 10, 5, 5 are 50, 70, 85, 92.5, 97.5.
  expect(partsOf(rows, 2).map((part) => part.map(({ ids }) => ids.length))).toStrictEqual([[40], [20, 20, 10, 5, 5]]);
});

test("the bundled folder is small and speaks the agreed form", async () => {
  const folder = bundledModel("household");
  let bytes = 0;
  for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).size;
  expect(bytes).toBeLessThanOrEqual(4_000_000);
  const tokenizer = await loadTokenizer(folder);
  const dialect = await createChatDialect(tokenizer);
  expect(tokenizer.decode(dialect.opening("You see a bed 1."))).toBe("<|user|>You see a bed 1.<|agent|>");
  expect(tokenizer.decode(dialect.turn("Nothing happens."))).toBe("<|user|>Nothing happens.<|agent|>");
  expect(tokenizer.decode(dialect.reply("go to bed 1"))).toBe("go to bed 1<|end|>");
});

test("idle advice is followed by nobody, and is written in other words than placebos", async () => {
  const kinds = new Map<string, number>();
  for await (const { kind, decisions } of lessonsOf(settings, { offset: 18_000, count: 20 }, "idle")) {
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (kind !== "idle") continue;
    const said = decisions.map(({ message }) => message).join("\n");
    for (const placebo of ["The sky was grey", "Rivers in the north", "so so", "Most maps show"]) {
      expect(said).not.toContain(placebo);
    }
    expect(decisions.every(({ learnt }) => learnt)).toBe(true);
  }
  expect(kinds.get("idle")).toBeGreaterThan(0);
});
