import { expect, test } from "vitest";
import { plainForm, taggedForm } from "./action-form.ts";

test.each([
  ["  go east\n", "go east"],
  ["<action>go</action>", "<action>go</action>"],
  [" \n", undefined],
])("plain: %j", (answer, action) => {
  expect(plainForm.read(answer)).toEqual({ action: action ?? "", readable: action !== undefined });
});

test.each([
  ["<think>east is right</think><action> go east </action>", "go east"],
  ["<action>go east</action> and then some", "go east"],
  ["go east", undefined],
  ["<action>go east", undefined],
  ["<action></action>", undefined],
  ["<action>a</action><action>b</action>", undefined],
  ["<action>a</action></action>", undefined],
])("tagged: %j", (answer, action) => {
  expect(taggedForm.read(answer)).toEqual({ action: action ?? "", readable: action !== undefined });
});

test("what a form writes it reads", () => {
  for (const form of [plainForm, taggedForm]) expect(form.read(form.write("go east")).action).toBe("go east");
});
