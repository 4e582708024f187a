import { expect, test } from "vitest";
import type { Message, Trajectory } from "limbeck-base/trajectory/trajectory";
import { Draft } from "../importers/draft.ts";
import { sessionFacts, type SessionFacts } from "./session-facts.ts";
import { commitOf, moodOf, taskKind, testsPassed, undoneBy } from "./signals.ts";
import { summarise } from "./summary.ts";

type Turn =
  | string
  | { readonly run: string; readonly gives: string; readonly error?: boolean; readonly refused?: boolean };

/** A session of a person's words ("> …"), the agent's words, and commands with their results. */
function session(id: string, turns: readonly Turn[]): Trajectory {
  const draft = new Draft("claude-code", id, "agent");
  turns.forEach((turn, index) => {
    if (typeof turn === "string") {
      const person = turn.startsWith("> ");
      draft.say({ message: person ? { role: "user", content: turn.slice(2) } : { role: "assistant", content: turn } });
      return;
    }
    const result = {
      ...(turn.error === true ? { error: true } : {}),
      ...(turn.refused === true ? { refused: true } : {}),
    };
    draft.say({
      message: {
        role: "assistant",
        content: "",
        toolCalls: [{ id: `${index}`, name: "Bash", arguments: { command: turn.run } }],
      },
    });
    draft.say({
      message: {
        role: "tool",
        content: turn.gives,
        toolCallId: `${index}`,
        ...(Object.keys(result).length === 0 ? {} : { extra: { result } }),
      },
    });
  });
  return draft.finish()[0] as Trajectory;
}

const facts = (id: string, turns: readonly Turn[]): SessionFacts => sessionFacts(session(id, turns), "run");
const pass: Turn = { run: "npm test", gives: "3 passed" };
const fail: Turn = { run: "npm test", gives: "1 failed, 2 passed", error: true };

test("the strongest evidence counts: feedback, then the last test run, then commits that stayed, then words", () => {
  const told = { ...session("told", ["> Fix it.", fail, "No."]), success: true };
  const summary = summarise(
    [
      sessionFacts(told, "run"),
      facts("tests", ["> Fix it.", fail, pass, "Done.", "> That is wrong."]),
      facts("kept", ["> Add it.", { run: "git commit -m x", gives: "[main abc1234] x" }, "Done."]),
      facts("lost", ["> Add it.", { run: "git commit -m y", gives: "[main def5678] y" }, "Done."]),
      facts("later", ["> Take it back.", { run: "git revert --no-edit def5678", gives: "ok" }, "Done."]),
      facts("glad", ["> Rename it.", "Done.", "> Perfect, thank you!"]),
      facts("sad", ["> Rename it.", "Done.", "> It still fails."]),
    ],
    new Map(),
  );
  expect(summary.outcomes).toEqual([
    { evidence: "feedback", success: 1, failure: 0 },
    { evidence: "tests", success: 1, failure: 0 },
    { evidence: "commits", success: 1, failure: 1 },
    { evidence: "next message", success: 1, failure: 1 },
  ]);
  expect(summary.unknown).toBe(1);
  // Only "tests" has both words and better evidence, and there they disagree: 0 of 1.
  expect(summary.wordsCheck).toMatchObject({ agreed: 0, of: 1, low: 0 });
  expect(summary.wordsCheck?.high).toBeCloseTo(0.793, 3);
});

test("errors and refusals by tool, loops, costs by kind of task", () => {
  const same: Turn = { run: "cat x", gives: "nothing" };
  const one = facts("one", [
    "> Fix the bug.",
    same,
    same,
    same,
    same,
    { run: "rm -r /", gives: "no", error: true, refused: true },
    fail,
  ]);
  const two = facts("two", ["> Explain this.", "It is so."]);
  const summary = summarise([one, two], new Map([["one", 0.5]]));
  expect(summary.tools).toEqual([{ tool: "Bash", calls: 6, errors: 1, refused: 1 }]);
  expect(summary.loops).toEqual([{ id: "one", call: "$ cat x", times: 4 }]);
  expect(
    summary.kinds.map(({ kind, sessions, failure, costUsd, unpriced }) => [kind, sessions, failure, costUsd, unpriced]),
  ).toEqual([
    ["fix", 1, 1, 0.5, 0],
    ["question", 1, 0, 0, 1],
  ]);
});

test("sessions of one task part where their calls first differ; words count as words", () => {
  const start: readonly Turn[] = ["> Fix it.", { run: "ls", gives: "a" }];
  const summary = summarise(
    [
      facts("1", [...start, pass, "Done."]),
      facts("2", [...start, pass, "It works."]),
      facts("3", [...start, { run: "rm a", gives: "" }, fail]),
    ],
    new Map(),
  );
  expect(summary.partings).toMatchObject([
    {
      goal: "Fix it.",
      sessions: 3,
      step: 1,
      ways: [
        { action: "$ npm test", sessions: 2, success: 2, failure: 0 },
        { action: "$ rm a", sessions: 1, success: 0, failure: 1 },
      ],
    },
  ]);
});

test("a sub-agent's calls are counted, its outcome is not", () => {
  const draft = new Draft("claude-code", "s/a", "agent");
  draft.facts.subagentOf = { trajectory: "s" };
  draft.say({ message: { role: "user", content: "Look." } });
  draft.say({ message: { role: "assistant", content: "", toolCalls: [{ id: "c", name: "Read", arguments: {} }] } });
  const summary = summarise(
    draft.finish().map((one) => sessionFacts(one, "run")),
    new Map(),
  );
  expect([summary.sessions, summary.parts, summary.tools[0]?.calls]).toEqual([0, 1, 1]);
});

test("signs one by one", () => {
  const result = (content: string): Message => ({ role: "tool", content });
  expect([
    testsPassed(result("0 failed, 9 passed")),
    testsPassed(result("2 failed")),
    testsPassed(result("FAIL sum.test.ts")),
  ]).toEqual([true, false, false]);
  expect([
    commitOf("git commit -am x", result("[main 0a1b2c3] x")),
    commitOf("git status", result("[main 0a1b2c3]")),
  ]).toEqual(["0a1b2c3", undefined]);
  expect([undoneBy("git reset --hard HEAD~1"), undoneBy("git revert 0a1b2c3"), undoneBy("git log")]).toEqual([
    "",
    "0a1b2c3",
    undefined,
  ]);
  expect(["Thanks!", "It is wrong.", "Great, but it still fails", "Next, the docs"].map(moodOf)).toEqual([
    "pleased",
    "displeased",
    undefined,
    undefined,
  ]);
  expect([
    taskKind("session", "Please add a button"),
    taskKind("household", "Fix the lamp"),
    taskKind("chat", "Hm"),
  ]).toEqual(["build", "household", "other"]);
});
