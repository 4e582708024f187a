import { execFileSync } from "node:child_process";
import { getPriority } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

test("all threads of a process give way, programs it starts too, and a smaller number moves nothing forward", () => {
  // In a process of its own: who has given way cannot come back.
  const program = `
    import { giveWay } from ${JSON.stringify(join(import.meta.dirname, "give-way.ts"))};
    import { execFileSync } from "node:child_process";
    import { existsSync, readdirSync } from "node:fs";
    import { getPriority } from "node:os";
    const [first, again] = [giveWay(7), giveWay(3)];
    const all = existsSync("/proc/self/task") ? readdirSync("/proc/self/task").map(Number) : [0];
    const child = Number(execFileSync(process.execPath, ["-p", "require('node:os').getPriority()"]));
    console.log(JSON.stringify({ first, again, lowest: Math.min(...all.map((one) => getPriority(one))), child }));`;
  const words = ["--import", "tsx", "--input-type=module", "--eval", program];
  const said = execFileSync(process.execPath, words, {
    encoding: "utf8",
    cwd: join(import.meta.dirname, "../../../.."),
  });
  const place = Math.max(7, getPriority());
  expect(JSON.parse(said)).toEqual({ first: place, again: place, lowest: place, child: place });
});
