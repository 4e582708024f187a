import { expect, test } from "vitest";
import { digestOf, gradersIn, readSuite } from "./suite.ts";

const task = { id: "a", prompt: "2 + 2?", answer: 4 };
const faultIn = (value: unknown): string => {
  try {
    readSuite(value, '"own.yaml"');
    return "";
  } catch (error) {
    return String(error);
  }
};

test.each([
  [{ suite: "s", tasks: [{ ...task, prompt: 3 }] }, /"own.yaml".*tasks.0.prompt is 3: .*expected string/],
  [{ suite: "s", tasks: [] }, /tasks is \[\]: .*>=1/],
  [{ suite: "s" }, /tasks is not there/],
  [{ suite: "s", tasks: [task], tsaks: 1 }, /the whole: .*tsaks/],
  [{ suite: "s", tasks: [task, task] }, /tasks.1.id is "a", which is there twice/],
  [{ suite: "s", tasks: [{ id: "a" }] }, /tasks.0 \(a\): it needs either `prompt` or `world`/],
  [{ suite: "s", tasks: [{ ...task, world: "shop" }] }, /either `prompt` or `world`/],
  [{ suite: "s", tasks: [{ ...task, count: 2 }] }, /`count` belongs to a world/],
  [{ suite: "s", tasks: [{ id: "a", world: "shop", tools: [] }] }, /`tools` belongs to a prompt/],
  [
    { suite: "s", tasks: [{ ...task, unseen: "app" }] },
    /tasks.0.unseen is "app": .*"world"\|"template"\|"instance"\|"none"/,
  ],
  [{ suite: "s", tasks: [{ ...task, value: "thrift" }] }, /No value "thrift"/],
  [
    {
      suite: "s",
      values: { v: { low: { name: "l", grader: "text" }, high: { name: "h", grader: "text" } } },
      tasks: [{ ...task, value: "v" }],
    },
    /`answer` has to be {low, high}/,
  ],
  [{ suite: "s", frozen: "abc", tasks: [task] }, /frozen is "abc": .*64/],
  [{ suite: "s", tasks: [{ ...task, prompt: "x".repeat(200_001) }] }, /tasks.0.prompt is "xxx.*<=200000/],
  [[task], /the whole: .*expected object/],
])("%j is refused with the field, its value and what is allowed", (value, fault) => {
  expect(faultIn(value)).toMatch(fault);
});

test("the digest is of the data: the order of fields and defaults make no difference, a task does", () => {
  const one = readSuite({ suite: "s", tasks: [task] });
  const same = readSuite({ tasks: [{ answer: 4, prompt: "2 + 2?", id: "a" }], version: "1", suite: "s" });
  expect(digestOf(same)).toBe(digestOf(one));
  expect(digestOf(readSuite({ suite: "s", tasks: [{ ...task, answer: 5 }] }))).not.toBe(digestOf(one));
});

test("graders are found wherever they stand", () => {
  const pole = (use: string) => ({ name: use, grader: use });
  const suite = readSuite({
    suite: "s",
    grader: "outcome",
    values: { v: { low: pole("text"), high: pole("state") } },
    tasks: [
      { ...task, grader: ["number", { use: "evidence", options: {} }] },
      { id: "b", prompt: "?", value: "v" },
    ],
  });
  expect([...gradersIn(suite)].sort()).toEqual(["evidence", "number", "state", "text"]);
});
