import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const compiler = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const here = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);

/** In a process of its own: a loop in this one would be the end of all tests. */
const PROGRAM = `
import { awaitPart } from ${here("./contain.ts")};
import { watchCalls } from ${here("./load-part.ts")};
watchCalls(0.1);
const home = { file: "/world.ts", name: "/world.ts", seconds: 0.1 };
for (const what of ["step", "fork"]) {
  const call = async () => {
    await null;
    for (;;);
  };
  await awaitPart(home, what, call).catch(({ code, message }) => console.log(code, message));
}
// Ended while it blocks, before its first await is over: the loop behind that begins when the call is given up already.
const left = async () => {
  await null;
  for (;;);
};
const call = () => {
  void left();
  for (;;);
};
await awaitPart(home, "tasks", call).catch(({ code, message }) => console.log(code, message));
console.log(await awaitPart(home, "open", async () => "goes on"));
`;

test("a loop that begins after an await is ended, its call is named, and the process goes on and ends", async () => {
  const words = ["--import", compiler, "--input-type=module", "--eval", PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const limit = "within 0.1 s. Look for a loop or a wait without end; LIMBECK_PART_SECONDS raises the limit.";
  expect(stdout.trim().split("\n")).toEqual([
    `part-timeout "/world.ts" did not end step ${limit}`,
    `part-timeout "/world.ts" did not end fork ${limit}`,
    `part-timeout "/world.ts" did not end tasks ${limit}`,
    "goes on",
  ]);
}, 120_000);
