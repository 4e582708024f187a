import { expect, test } from "vitest";
import { createSharedAnswers } from "./app.ts";

/** A question whose answers are given by hand. */
function slow() {
  const given: ((value: string) => void)[] = [];
  const signals: AbortSignal[] = [];
  const compute = (signal: AbortSignal): Promise<string> => {
    signals.push(signal);
    return new Promise((resolve) => given.push(resolve));
  };
  return { given, signals, compute };
}

const here = (): AbortSignal => new AbortController().signal;

test("who asks the same at the same time has one answer; who asks later, or something else, has another", async () => {
  const { given, compute } = slow();
  const answers = createSharedAnswers<string>();
  const first = [answers.ask("runs", here(), compute), answers.ask("runs", here(), compute)];
  const other = answers.ask("facets", here(), compute);
  expect(given).toHaveLength(2);
  given[0]?.("one");
  given[1]?.("two");
  expect(await Promise.all([...first, other])).toEqual(["one", "one", "two"]);
  const later = answers.ask("runs", here(), compute);
  given[2]?.("three");
  expect(await later).toBe("three");
});

test("after a change nobody is given what was begun before it", async () => {
  const { given, compute } = slow();
  const answers = createSharedAnswers<string>();
  const before = answers.ask("runs", here(), compute);
  answers.part();
  const after = answers.ask("runs", here(), compute);
  given[1]?.("new");
  given[0]?.("old");
  expect(await Promise.all([before, after])).toEqual(["old", "new"]);
  expect(given).toHaveLength(2);
});

test("work is given up when the last who waits has gone, not before", async () => {
  const { given, signals, compute } = slow();
  const answers = createSharedAnswers<string>();
  const [one, two] = [new AbortController(), new AbortController()];
  const asked = [answers.ask("runs", one.signal, compute), answers.ask("runs", two.signal, compute)];
  one.abort();
  expect(signals[0]?.aborted).toBe(false);
  two.abort();
  expect(signals[0]?.aborted).toBe(true);
  const again = answers.ask("runs", here(), compute);
  expect(given).toHaveLength(2);
  for (const give of given) give("there");
  expect(await Promise.all([...asked, again])).toEqual(["there", "there", "there"]);
});

test("a failure is everybody's, and nobody's later", async () => {
  const answers = createSharedAnswers<string>();
  const broken = (): Promise<string> => Promise.reject(new Error("broken"));
  const asked = [answers.ask("runs", here(), broken), answers.ask("runs", here(), broken)];
  await expect(asked[0]).rejects.toThrow("broken");
  await expect(asked[1]).rejects.toThrow("broken");
  expect(await answers.ask("runs", here(), () => Promise.resolve("mended"))).toBe("mended");
});

test("an answer is kept for its moment, a failure is not, and a change ends it", async () => {
  let time = 0;
  const answers = createSharedAnswers<string>({ keepMs: 200, now: () => time });
  let made = 0;
  const compute = (): Promise<string> => Promise.resolve(`answer ${(made += 1)}`);
  expect(await answers.ask("runs", here(), compute)).toBe("answer 1");
  time = 199;
  expect(await answers.ask("runs", here(), compute)).toBe("answer 1");
  time = 200;
  expect(await answers.ask("runs", here(), compute)).toBe("answer 2");
  answers.part();
  expect(await answers.ask("runs", here(), compute)).toBe("answer 3");
  await expect(answers.ask("facets", here(), () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await answers.ask("facets", here(), compute)).toBe("answer 4");
});
