import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { fateOf, thisProcess } from "./process-identity.ts";

test("this process lives; one that ended is gone; what is elsewhere cannot be seen", async () => {
  const own = thisProcess();
  expect(fateOf(own)).toBe("alive");
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "close");
  expect(fateOf({ ...own, pid: child.pid ?? 0 })).toBe("gone");
  expect(fateOf({ ...own, host: "another" })).toBe("elsewhere");
  expect(fateOf({ ...own, space: "another boot" })).toBe("elsewhere");
});
