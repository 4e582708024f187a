import { expect, test } from "vitest";
import { exitClassOf } from "./exit-class.ts";
import { EngineError } from "./errors.ts";

test("a code that is not in the table does not compile; one's own parts have theirs", () => {
  // @ts-expect-error: not a code of the engine.
  expect(new EngineError("bad-optoin", "A slip of the pen.").code).toBe("bad-optoin");
  expect(new EngineError("custom:no-licence", "The shop has no licence.").code).toBe("custom:no-licence");
});

test("a code says what cures the error; what comes from elsewhere is a failure", () => {
  const codes = ["bad-option", "bad-parquet", "disk-full", "cancelled", "custom:x", "ENOENT", "toString", undefined];
  expect(codes.map(exitClassOf)).toEqual([
    "usage",
    "input",
    "failed",
    "interrupted",
    "failed",
    "failed",
    "failed",
    "failed",
  ]);
});

test("an error that was told as data keeps its code, whoever's it was", () => {
  const cause = new Error("x");
  const data = { code: "SOME_SERVER_CODE", message: "No.", details: { at: 3 } };
  const error = EngineError.from(data, cause);
  expect([error.toJSON(), error.cause]).toEqual([{ ...data, cause: { code: "internal", message: "x" } }, cause]);
});
