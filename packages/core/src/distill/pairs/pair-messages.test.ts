import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { buildPairMessages } from "./pair-messages.ts";
import { pairOf } from "./pair.ts";

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

test("what both had read, then what each said; advice is left out", () => {
  const attempt = sampleTrajectory("attempt");
  const retry = sampleTrajectory("retry", {
    parent: { trajectory: "attempt", step: 1 },
    steps: [
      sampleStep(1, { action: "look", prompt: "see 1\n\nthink", basePrompt: "see 1" }),
      sampleStep(2, { action: "take" }),
    ],
  });
  const pair = pairOf("task-1", { trajectory: "retry", steps: [1, 2] }, { trajectory: "attempt", steps: [1] }, 1);
  expect(buildPairMessages([pair], [attempt, retry])).toEqual([
    {
      pair,
      prompt: [user("see 0"), assistant("do 0"), user("see 1")],
      chosen: [assistant("look"), user("see 2"), assistant("take")],
      rejected: [assistant("do 1")],
    },
  ]);
});

test("chats keep their own messages, calls included", () => {
  const call = { id: "1", name: "find", arguments: { what: "mug" } };
  const chat = sampleTrajectory("chat", {
    steps: [
      sampleStep(0, {
        messages: [
          { role: "system", content: "be brief" },
          { role: "user", content: "where?" },
        ],
        reply: { role: "assistant", content: "", toolCalls: [call] },
      }),
    ],
  });
  const pair = pairOf("task-1", { trajectory: "chat", steps: [0] }, { trajectory: "chat", steps: [0] }, 1);
  const [written] = buildPairMessages([pair], [chat]);
  expect(written?.prompt.map(({ role }) => role)).toEqual(["system", "user"]);
  expect(written?.chosen[0]?.toolCalls).toEqual([call]);
});
