import { expect, test } from "vitest";
import { EngineError } from "limbeck-base/base/errors";
import { createFutures } from "./futures.ts";

const refusal = (status: number) => expect.objectContaining({ status }) as unknown;

test("a result can be fetched again; work that is not done is a 408, failed work a 400 with its message", async () => {
  const futures = createFutures(5);
  const done = futures.begin(() => Promise.resolve({ value: 1 }));
  expect([await futures.wait(done, 50), await futures.wait(done, 50)]).toEqual([{ value: 1 }, { value: 1 }]);
  const slow = futures.begin(() => new Promise(() => undefined));
  await expect(futures.wait(slow, 1)).rejects.toEqual(refusal(408));
  const failed = futures.begin(() => Promise.reject(new EngineError("bad-rank", "The rank differs.")));
  await expect(futures.wait(failed, 50)).rejects.toMatchObject({ status: 400, detail: "The rank differs." });
});

test("a number of another process is unknown, one that was pushed out has expired, and no word is a number", async () => {
  const earlier = createFutures(5).begin(() => Promise.resolve({}));
  const futures = createFutures(6);
  await expect(futures.wait(earlier, 50)).rejects.toEqual(refusal(404));
  const first = futures.begin(() => Promise.resolve({}));
  await futures.wait(first, 50);
  for (let count = 0; count < 4_096; count += 1) futures.begin(() => Promise.resolve({}));
  await expect(futures.wait(first, 50)).rejects.toEqual(refusal(410));
  await expect(futures.wait("one", 50)).rejects.toEqual(refusal(422));
});

test("no more work waits than is allowed; the rest is told to come back", async () => {
  const futures = createFutures(7, 1);
  let finish: (value: object) => void = () => undefined;
  const slow = futures.begin(() => new Promise((resolve) => (finish = resolve)));
  expect(() => futures.begin(() => Promise.resolve({}))).toThrow(expect.objectContaining({ status: 429 }) as Error);
  expect([futures.pending(), futures.begun()]).toEqual([1, 1]);
  finish({ value: 2 });
  expect(await futures.wait(slow, 50)).toEqual({ value: 2 });
  expect(futures.pending()).toBe(0);
  futures.begin(() => Promise.resolve({}));
});
