import { describe, expect, test } from "vitest";
import { demonstrated, shareWon } from "../../../../test/support/demonstrated.ts";
import { mean } from "limbeck-base/base/statistics/summary";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { envContract } from "limbeck-core/env/env.contract";
import { readWording } from "limbeck-core/env/wording";
import { openNote, createDraft } from "./draft.ts";
import { draft } from "./index.ts";
import { draftWords, type Note } from "./note.ts";

envContract({ name: "draft", env: createDraft({ level: "small" }), runner: { describe, test }, runs: 10 });

const task: Task = { id: "t", env: "draft", seed: 1, goal: "Write.", split: "train" };
const note: Note = {
  lines: ["opening", "news", "reason", "close"],
  taste: ["short", "middle", "long", "long"],
  reader: "Vale, a careful miller",
  facts: { name: "Vale", sender: "Oren", event: "the fair", day: "Friday", place: "the harbour", cause: "the bell" },
};

const parts = ({ info }: { readonly info?: { readonly [name: string]: unknown } }): unknown => info?.["parts"];

test("score, gain and idle rounds as worked out by hand", async () => {
  const episode = openNote(task, note);
  expect(episode.admissible()).toEqual(["draft short", "draft middle", "draft long"]);
  // All middle: one step off at opening, reason and close: (1 + 2 + 1 + 1) / 8.
  const first = await episode.step("draft middle");
  expect(parts(first)).toEqual({ quality: 0.625, raised: 1, idle: 0 });
  expect(first.observation).toContain("news: The fair is on Friday.");
  expect(first.observation).toContain("Score 0.63. The reader: ");
  // Opening long: two steps off now, (0 + 2 + 1 + 1) / 8.
  expect(parts(await episode.step("opening long"))).toEqual({ quality: 0.5, raised: 0, idle: 1 });
  // Back to the first draft: no better than the best before it, so that round is idle too.
  expect(parts(await episode.step("opening middle"))).toEqual({ quality: 0.625, raised: 0, idle: 1 });
  expect(parts(await episode.step("opening short"))).toEqual({ quality: 0.75, raised: 1, idle: 0 });
  expect(parts(await episode.step("reason long"))).toEqual({ quality: 0.875, raised: 1, idle: 0 });
  expect(parts(await episode.step("close long"))).toEqual({ quality: 1, raised: 1, idle: 0 });
  // 1 - 2 * 0.05.
  const sent = await episode.step("stop");
  expect(sent).toMatchObject({ ending: "terminated", success: true, reward: { value: 0.9 } });
  expect(sent.observation).toBe("The note is sent. It is worth 0.90.");
});

test("the order of outcomes: peak and stop, peak then worse, and never sent", async () => {
  const play = async (actions: readonly string[]): Promise<number | undefined> => {
    const episode = openNote(task, note);
    for (const action of actions) await episode.step(action);
    return scoreValue(episode.reward);
  };
  const peak = ["draft middle", "opening short", "reason long", "close long"];
  expect(await play([...peak, "stop"])).toBe(1);
  // One line made worse by two points: 6/8 less one idle round.
  expect(await play([...peak, "close short", "stop"])).toBe(0.7);
  const turns = Array.from({ length: 4 }, () => ["close short", "close long"]).flat();
  expect(await play([...peak, ...turns])).toBe(0);
});

test("a third idle round, or a line that is not right, is no success", async () => {
  const succeeds = async (actions: readonly string[]): Promise<boolean | null> => {
    const episode = openNote(task, note);
    for (const action of [...actions, "stop"]) await episode.step(action);
    return episode.success;
  };
  const [first, ...rest] = ["draft middle", "opening short", "reason long", "close long"] as const;
  expect(await succeeds([first, "news short", "news middle", ...rest])).toBe(true);
  expect(await succeeds([first, "news short", "news long", "news middle", ...rest])).toBe(false);
  expect(await succeeds([first, ...rest.slice(1)])).toBe(false);
});

test("nothing can be sent before it is written, and only sending is for good", async () => {
  const episode = openNote(task, note);
  expect(episode.irreversible?.("stop")).toBe(false);
  expect(await episode.step("stop")).toMatchObject({
    valid: false,
    info: { parts: { quality: 0, raised: 0, idle: 0 } },
  });
  await episode.step("draft long");
  expect([episode.irreversible?.("stop"), episode.irreversible?.("close short")]).toEqual([true, false]);
  expect(episode.admissible()).not.toContain("close long");
  const fork = await episode.fork();
  await fork.step("close short");
  expect(episode.stateKey).toBe("long long long long, best 5, idle 0");
  expect(fork.stateKey).toBe("long long long short, best 5, idle 1");
});

test("the reader speaks of the line that is furthest off, in the right direction, and of nothing at the peak", async () => {
  const said = async (actions: readonly string[]): Promise<string> => {
    const episode = openNote(task, note);
    for (const action of actions) await episode.step(action);
    return /The reader: (.*)$/.exec(episode.observation)?.[1] ?? "";
  };
  const { tooLong, tooShort, content } = draftWords();
  const reads = (wordings: readonly string[], text: string): string | undefined =>
    wordings.map((wording) => readWording(wording, text)?.["line"]).find((line) => line !== undefined);
  expect(reads(tooLong, await said(["draft long"]))).toBe("opening");
  // Reason and close are both two steps too short; the first of them is named.
  expect(reads(tooShort, await said(["draft short"]))).toBe("reason");
  const peak = await said(["draft middle", "opening short", "reason long", "close long"]);
  expect([reads(tooLong, peak), reads(tooShort, peak)]).toEqual([undefined, undefined]);
  expect(content.some((wording) => readWording(wording, peak) !== undefined)).toBe(true);
});

test.each(["small", "medium", "large"] as const)(
  "%s: the expert is at 1, the restless at 0, chance low",
  async (level) => {
    const env = createDraft({ level });
    const { expert, restless, random } = draft.demonstrators ?? {};
    const best = await demonstrated(env, expert);
    expect([shareWon(best), mean(best.map(({ reward }) => reward))]).toEqual([1, 1]);
    expect(shareWon(await demonstrated(env, restless, { count: 20 }))).toBe(0);
    expect(shareWon(await demonstrated(env, random))).toBeLessThan(0.1);
  },
);
