import { afterEach, expect, test, vi } from "vitest";
import { createCalls, type Calls } from "./calls.ts";

let time = 0;

function openCalls(): Calls {
  const { signal } = new AbortController();
  const now = (): number => time;
  return createCalls({ concurrency: 8, policySeconds: 5, envSeconds: 1, signal, now, task: "t", policyName: "p" });
}

afterEach(() => {
  vi.useRealTimers();
  time = 0;
});

test("a signal serves 32 calls of policy and world one after the other, never two at a time, and one that makes a world", async () => {
  const calls = openCalls();
  const asked: AbortSignal[] = [];
  for (let call = 0; call < 33; call += 1) {
    await calls[call % 2 === 0 ? "policy" : "world"](async ({ signal }) => void asked.push(signal));
  }
  expect(new Set(asked.slice(0, 32)).size).toBe(1);
  expect(asked[32]).not.toBe(asked[0]);
  const together: AbortSignal[] = [];
  await Promise.all([1, 2, 3].map(() => calls.policy(async ({ signal }) => void together.push(signal))));
  expect(new Set(together).size).toBe(3);
  const worlds: AbortSignal[] = [];
  for (let call = 0; call < 3; call += 1) await calls.opening(async ({ signal }) => void worlds.push(signal));
  expect(new Set(worlds).size).toBe(3);
  expect([...asked, ...together, ...worlds].some(({ aborted }) => aborted)).toBe(false);
  calls.close();
});

test("the signal of a call that was given up fires, and no later call gets it", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const calls = openCalls();
  const asked: AbortSignal[] = [];
  await calls.policy(async ({ signal }) => void asked.push(signal));
  const hanging = calls.policy(({ signal }) => {
    asked.push(signal);
    return new Promise<never>(() => undefined);
  });
  const failure = hanging.catch((error: unknown) => error);
  time = 5_000;
  vi.advanceTimersByTime(250);
  expect(await failure).toMatchObject({ code: "policy-timeout" });
  expect(asked[1]?.aborted).toBe(true);
  await calls.policy(async ({ signal }) => void asked.push(signal));
  expect(asked[2]?.aborted).toBe(false);
  calls.close();
});

test("a call that fails by itself leaves its place to the next", async () => {
  const calls = openCalls();
  for (let call = 0; call < 20; call += 1) {
    await expect(calls.policy(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  }
  await expect(calls.policy(async () => "yes")).resolves.toBe("yes");
  calls.close();
});
