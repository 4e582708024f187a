import { expect, test } from "vitest";
import { fateOf, thisProcess } from "./process-identity.ts";

test.runIf(process.platform === "linux")(
  "a number that was given to another process is recognised (needs /proc of Linux)",
  () => {
    const { started, ...own } = thisProcess();
    expect(Number(started)).toBeGreaterThan(0);
    expect(fateOf({ ...own, started: String(Number(started) - 1) })).toBe("gone");
  },
);
