import { expect, test } from "vitest";
import { EngineError } from "limbeck-base/base/errors";
import { inTime } from "./in-time.ts";

const never = (): Promise<string> => new Promise(() => undefined);

test("what does not answer in time has failed", async () => {
  const { judge } = inTime({ judge: never }, 0.01);
  await expect(judge?.("?")).rejects.toMatchObject({
    code: "timeout",
    message: expect.stringContaining("0.01") as string,
  });
});

test("somebody's own time limit is a failure, the run's end is not", async () => {
  const gaveUp = (): Promise<string> => Promise.reject(new DOMException("too late", "AbortError"));
  await expect(inTime({ judge: gaveUp }, 9).judge?.("?")).rejects.toMatchObject({ code: "timeout" });
  const run = new AbortController();
  const asked = inTime({ judge: never, signal: run.signal }, 9).judge?.("?");
  run.abort();
  await expect(asked).rejects.toMatchObject({ code: "cancelled" });
});

test("answers and other failures are handed on, those at once at once", async () => {
  const limited = inTime(
    {
      judge: () => Promise.resolve("7"),
      verify: () => 0.5,
      scoreSteps: () => Promise.reject(new EngineError("bad-value", "no")),
    },
    9,
  );
  expect(await limited.judge?.("?")).toBe("7");
  expect(limited.verify?.({} as never)).toBe(0.5);
  await expect(limited.scoreSteps?.({} as never, [])).rejects.toMatchObject({ code: "bad-value" });
  expect(inTime({}, 9)).toEqual({});
});
