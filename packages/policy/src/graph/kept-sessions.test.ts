import type { InferenceSession } from "onnxruntime-node";
import { afterEach, expect, test } from "vitest";
import { holdSession, keepSessions } from "./kept-sessions.ts";

// What test/setup.ts asks for.
afterEach(() => keepSessions(64));

/** Sessions that note their end. */
function counted() {
  const ended: number[] = [];
  let made = 0;
  const create = (): Promise<InferenceSession> => {
    made += 1;
    const number = made;
    return Promise.resolve({ release: async () => void ended.push(number) } as unknown as InferenceSession);
  };
  return { create, ended, made: () => made };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(`kept-sessions.test ${text}`);

test("one that was handed back serves the next of the same graph and options, and no other", async () => {
  keepSessions(8);
  const { create, ended, made } = counted();
  const first = await holdSession(bytes("graph"), { threads: 1 }, create);
  const beside = await holdSession(bytes("graph"), { threads: 1 }, create);
  expect(beside.session).not.toBe(first.session);
  await first.release();
  // To hand it back twice hands it to one taker only.
  await first.release();
  const again = await holdSession(bytes("graph"), { threads: 1 }, create);
  expect(again.session).toBe(first.session);
  expect((await holdSession(bytes("graph"), { threads: 1 }, create)).session).not.toBe(first.session);
  await beside.release();
  expect((await holdSession(bytes("graph"), { threads: 2 }, create)).session).not.toBe(beside.session);
  expect((await holdSession(bytes("another"), { threads: 1 }, create)).session).not.toBe(beside.session);
  expect([made(), ended]).toEqual([5, []]);
});

test("where none are kept each is made and ended; where one is kept the oldest goes", async () => {
  keepSessions(0);
  const none = counted();
  await (await holdSession(bytes("a"), {}, none.create)).release();
  expect([none.made(), none.ended]).toEqual([1, [1]]);
  const one = counted();
  keepSessions(1);
  const held = [await holdSession(bytes("b"), {}, one.create), await holdSession(bytes("c"), {}, one.create)];
  for (const { release } of held) await release();
  expect(one.ended).toContain(1);
});
