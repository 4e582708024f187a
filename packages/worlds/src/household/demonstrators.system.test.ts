import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { createAlfworld } from "../alfworld/alfworld.ts";
import { demonstrate, expert } from "./demonstrators.ts";

const official = join(import.meta.dirname, "../../../../../shared/data/alfworld");

test.skipIf(!existsSync(official))("the expert solves official games too (needs ../shared/data/alfworld)", async () => {
  const env = await createAlfworld({ root: official, maxSteps: 100 });
  const missed: string[] = [];
  for await (const task of env.tasks("valid_seen")) {
    const { success } = await demonstrate(await env.open(task), expert, createRng(task.id));
    if (success !== true) missed.push(`${task.id}: ${task.goal}`);
  }
  expect(missed).toEqual([]);
});
