import { expect, test } from "vitest";
import type { Conversation } from "limbeck-policy/policy/policy";
import { createKept } from "./kept-conversations.ts";

const talk = (...tokens: number[]): Conversation => ({ tokens: Int32Array.from(tokens) }) as unknown as Conversation;

test("the longest conversation that a prompt begins with goes on; others do not", () => {
  const kept = createKept(100);
  const [short, long, other] = [talk(1, 2), talk(1, 2, 3), talk(9, 2)];
  for (const one of [long, short, other]) kept.keep(one);
  expect(kept.find(Int32Array.of(1, 2, 3, 4))).toBe(long);
  expect(kept.find(Int32Array.of(1, 2, 4))).toBe(short);
  expect(kept.find(Int32Array.of(1))).toBeUndefined();
  expect(kept.find(Int32Array.of(2, 1, 2, 3))).toBeUndefined();
  kept.clear();
  expect(kept.find(Int32Array.of(1, 2, 3, 4))).toBeUndefined();
});

test("no more tokens are kept than allowed; the least recently used go first", () => {
  const kept = createKept(6);
  kept.keep(talk(1, 1, 1));
  kept.keep(talk(2, 2, 2));
  kept.find(Int32Array.of(1, 1, 1, 5));
  kept.keep(talk(3, 3, 3));
  expect(kept.find(Int32Array.of(2, 2, 2))).toBeUndefined();
  expect(kept.find(Int32Array.of(1, 1, 1))).toBeDefined();
  kept.keep(talk(4, 4, 4, 4, 4, 4, 4));
  expect(kept.find(Int32Array.of(4, 4, 4, 4, 4, 4, 4))).toBeUndefined();
});
