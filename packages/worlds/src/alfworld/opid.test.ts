import { expect, test } from "vitest";
import { opid, projectAction } from "./opid.ts";

test.each([
  ["<think>hm</think><action>Go to Desk 1</action>", "go to desk 1", true],
  ["<think>hm</think> <action>\n look \n</action> <action>open safe 1</action>", "look", true],
  // Being possible is not asked for.
  ["<think></think><action>dance</action>", "dance", true],
  ["<action>look</action>", "look", false],
  ["<think>hm<action>look</action>", "look", false],
  ["<think>看</think><action>look</action>", "look", false],
  // No closing tag: the last 30 of the 39 characters are sent.
  ["<think>hm</think><action>Go to the desk", "</think><action>go to the desk", false],
  ["look", "look", false],
  ["</action><action>", "", false],
  ["", "", false],
])("%j is sent as %j, valid: %s", (response, action, valid) => {
  expect(projectAction(response)).toEqual({ action, valid });
});

test("a response of 100 kB is no trouble", () => {
  expect(projectAction("<action>".repeat(12_500)).action).toHaveLength(30);
});

test("the preset holds the published figures", () => {
  expect(opid).toMatchObject({ maxSteps: 30, winReward: 10, historyTurns: 5, invalidActionPenalty: 0.1 });
});
