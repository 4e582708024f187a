import { expect, test } from "vitest";
import { createCorridor } from "limbeck-core/env/corridor";
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { makeLessons, otherPlan, rowOf, type Lesson, type KnownWay } from "./lesson.ts";
import { createRng } from "limbeck-base/base/rng";

const env = createCorridor();
const tasks = [...(env.tasks("train", { count: 8 }) as Iterable<Task>)];
/** Two plans: half of the tasks are done at once, the others after a step back. */
const shown: readonly KnownWay[] = tasks.map((task, at) => ({
  task,
  decisions: (at % 2 === 0 ? ["go east", "go east"] : ["go east", "go west", "go east"]).map((action, step) => ({
    message: `Room ${step + 1}.`,
    action,
  })),
}));
const options = { env, adviceShare: 0.8, seed: 1, signal: new AbortController().signal };

/** A token is the length of a text; turns begin with -1, answers end with 0. */
const dialect: Dialect = {
  opening: (text) => Int32Array.of(text.length),
  turn: (text) => Int32Array.of(-1, text.length),
  reply: (text) => Int32Array.of(text.length, 0),
  stop: [Int32Array.of(0)],
  answer: () => "",
};

test("every episode is shown once without advice, and as many with advice as the share asks for", async () => {
  const lessons = await makeLessons(shown, options);
  const kinds = lessons.map(({ kind }) => kind);
  // 8 plain ones are a fifth of 40.
  expect(lessons).toHaveLength(40);
  expect(kinds.filter((kind) => kind === "plain")).toHaveLength(8);
  expect(new Set(kinds)).toEqual(new Set(["plain", "right", "wrong", "hint"]));
  expect(await makeLessons(shown, options)).toEqual(lessons);
  expect((await makeLessons(shown, { ...options, adviceShare: 0 })).every(({ kind }) => kind === "plain")).toBe(true);
});

test("advice stands where a teacher reads it, and is followed whether it is right or wrong", async () => {
  const lessons = await makeLessons(shown, options);
  const of = (wanted: string) => lessons.filter(({ kind }) => kind === wanted).map(({ decisions }) => decisions);
  const told = ([first]: Lesson["decisions"]): unknown =>
    /Skill: \[.*This worked: (.*)\.\]$/.exec(first?.message ?? "")?.[1]?.split("; ");
  const done = (decisions: Lesson["decisions"]): readonly string[] => decisions.map(({ action }) => action);
  // The world may end before a plan does; the corridor of four rooms does not.
  for (const decisions of [...of("right"), ...of("wrong")]) expect(done(decisions)).toEqual(told(decisions));
  for (const decisions of of("hint")) {
    expect(decisions.at(-1)?.message).toContain(`Hint: [Do this now: ${decisions.at(-1)?.action}.]`);
    expect(decisions.map(({ learnt }) => learnt)).toEqual(decisions.map((_, at) => at === decisions.length - 1));
  }
  for (const [first] of of("plain")) expect(first?.message).toBe("Room 1.");
  // What a wrong way leads to is what the world says, not what was seen on the way that was shown.
  const wrong = of("wrong").find((decisions) => decisions.length === 3);
  expect(wrong?.slice(1).map(({ message }) => message)).toEqual(["Room 2.", "Room 1."]);
});

test("where all plans are the same there is no wrong one", () => {
  const same = shown.filter((_, at) => at % 2 === 0);
  expect(otherPlan(same[0] as KnownWay, same, createRng(1))).toBeUndefined();
});

test("decisions weigh 1, what the world replied 0.15, the opening and what is not learnt nothing", () => {
  const row = rowOf(
    {
      kind: "hint",
      decisions: [
        { message: "abc", action: "go", learnt: false },
        { message: "abcd", action: "stay", learnt: true },
      ],
    },
    dialect,
  );
  expect([...row.ids]).toEqual([3, 2, 0, -1, 4, 4, 0]);
  expect([...(row.weights ?? [])]).toEqual([0, 0, 0, 0.15, 0.15, 1, 1]);
  expect([...(row.mask ?? [])]).toEqual([0, 0, 0, 1, 1, 1, 1]);
});
