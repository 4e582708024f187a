import { expect, test } from "vitest";
import { EngineError, errorCode, errorData, isAbort, throwIfAborted } from "./errors.ts";

test("an error is data all the way down its causes", () => {
  const disk = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  const error = new EngineError("file-error", "Could not write a.parquet.", {
    details: { file: "a.parquet" },
    cause: disk,
  });
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    code: "file-error",
    message: "Could not write a.parquet.",
    details: { file: "a.parquet" },
    cause: { code: "ENOSPC", message: "no space left on device" },
  });
});

test("anything thrown becomes data", () => {
  expect(errorData("text")).toEqual({ code: "internal", message: "text" });
  expect(errorData(new TypeError("x"))).toEqual({ code: "internal", message: "x" });
  expect([errorCode(null), errorCode({ code: 3 }), errorCode({ code: "A" })]).toEqual([undefined, undefined, "A"]);
});

test("cancellation is told apart from failure", () => {
  const controller = new AbortController();
  throwIfAborted(undefined);
  throwIfAborted(controller.signal);
  controller.abort();
  let thrown: unknown;
  try {
    throwIfAborted(controller.signal);
  } catch (error) {
    thrown = error;
  }
  expect([isAbort(thrown), isAbort(controller.signal.reason), isAbort(new Error("x"))]).toEqual([true, true, false]);
});
