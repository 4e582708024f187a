import { expect, test } from "vitest";
import { resolveOptions } from "limbeck-base/base/options";
import { contextOptionTable } from "./context.ts";
import { none } from "./none.ts";

test("nothing is told and nobody is asked", async () => {
  const nobody = () => Promise.reject(new Error("nobody is asked"));
  const told = await none.prepare(
    [],
    { solve: nobody, analyse: nobody },
    resolveOptions(contextOptionTable, {}, "it"),
    [],
  );
  expect(told).toEqual({ kind: "plain" });
});
