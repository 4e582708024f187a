import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { REWARD_PLAN, TINY_HOUSEHOLD } from "../../../../../test/support/small-command-lines.ts";
import { workplace } from "../../../../../test/support/workplace.ts";

const { folder, run } = workplace();
beforeAll(() => writeFile(join(folder(), "rewards.yaml"), REWARD_PLAN));

test("rollout and eval --rewards FILE: what is played is stored with those rewards", async () => {
  const world = [...TINY_HOUSEHOLD, "--policy", "expert", "--rewards", "rewards.yaml"];
  const rolled = await run(["rollout", ...world, "--count", "2", "--group", "1", "--run", "rolled", "--json"]);
  const judged = await run(["eval", ...world, "--tasks", "2", "--into", "judged", "--json"]);
  expect([rolled.code, rolled.err, judged.code, judged.err]).toEqual([0, "", 0, ""]);
  // The expert solves both, for which the world pays 10; the form is the plan's own.
  const rewards = (name: string) =>
    `select avg(value) filter (name = 'outcome') v, count(distinct trajectory) filter (name = 'form') n from rewards where run = '${name}'`;
  for (const name of ["rolled", "judged"]) {
    expect((await run(["sql", rewards(name), "--json"])).objects()).toEqual([{ v: 10, n: 2 }]);
  }
  const words = [
    "rollout",
    ...world,
    "--count",
    "1",
    "--group",
    "1",
    "--run",
    "rolled",
    "--resume",
    "--reward",
    "trace",
  ];
  expect((await run(words)).err).toContain("leave one of them out");
  const other = words.filter((word) => !word.startsWith("--rewards") && word !== "rewards.yaml");
  expect(await run(other)).toMatchObject({ code: 2, err: expect.stringContaining("reward") as unknown });
  const looked = await run(["eval", "--run", "judged", "--rewards", "rewards.yaml"]);
  expect(looked.err).toContain("--rewards belongs to --env ID, which plays");
  const fleet = await run(["rollout", ...world, "--fleet", "redis://127.0.0.1:1"]);
  expect(fleet.err).toContain("--rewards is for rollouts of one process");
});
