import { expect, test } from "vitest";
import { avoidanceText, command, stepAdvice, stepWarning, workflowText } from "./wording.ts";

test("workflows name commands as they were given", () => {
  expect(workflowText(["go to shelf 1", " take cup 1 from shelf 1\n"])).toBe(
    "This worked: go to shelf 1; take cup 1 from shelf 1.",
  );
  expect(workflowText([])).toBe("");
});

test("avoidance rules say what to avoid first and what works last", () => {
  expect(
    avoidanceText({
      refused: ["eat lamp 1"],
      useless: ["look"],
      leadsBack: ["go to shelf 1"],
      repeated: ["open box 1"],
      tried: ["go to bed 1", "go to desk 1"],
      instead: { did: "go to toilet 1", sibling: "go to sinkbasin 1" },
      workflow: ["go to sinkbasin 1"],
    }),
  ).toBe(
    "Refused: eat lamp 1. Useless: look. Leads back: go to shelf 1. Do not repeat: open box 1. Already tried: go to bed 1; go to desk 1. Not: go to toilet 1. But: go to sinkbasin 1. This worked: go to sinkbasin 1.",
  );
  expect(avoidanceText({ useless: ["look"] })).toBe("Useless: look.");
  expect(avoidanceText({})).toBe("");
});

test("step advice is one imperative sentence", () => {
  expect(stepAdvice("heat egg 1 with microwave 1")).toBe("Do this now: heat egg 1 with microwave 1.");
  expect(stepWarning("look", "useless")).toBe("Do not look; it changes nothing.");
  expect(stepWarning("go to shelf 1", "leadsBack")).toBe("Do not go to shelf 1; it leads back.");
});

test("what a model rambles is cut, and control characters do not get in", () => {
  expect(command("a\u0000\u001b[31mb")).toBe("a [31mb");
  expect(command("<|im_start|>go to<|im_end|> shelf 1")).toBe("go to shelf 1");
  expect(avoidanceText({ useless: ["<|im_start|>", "look"] })).toBe("Useless: look.");
  expect(command("x".repeat(500))).toBe(`${"x".repeat(160)} …`);
});
