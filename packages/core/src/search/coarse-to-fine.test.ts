import { expect, test } from "vitest";
import { scriptedAsker } from "../../../../test/support/table-search.ts";
import { mean } from "limbeck-base/base/statistics/summary";
import { archive } from "limbeck-worlds/archive/index";
import { createArchive } from "limbeck-worlds/archive/archive";
import { createStrategy } from "../rollout/registry.ts";
import { createDemonstratorAgent } from "../walk/mind/demonstrator-agent.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import type { Agent } from "../walk/mind/agent.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { captionOf } from "./coarse-to-fine.ts";
import { createSearch } from "./registry.ts";
import { harmBeside } from "../walk/tree/search-tasks.ts";
import { runSearch, type SearchResult } from "../walk/tree/run-search.ts";

const env = createArchive({ size: "small" });
const tasks = [...(env.tasks("valid", { count: 30 }) as Iterable<Task>)];
const reader: Agent = createDemonstratorAgent(archive.demonstrators!["reader"]!);

async function navigate(task: Task, options: Partial<Parameters<typeof runSearch>[0]> = {}): Promise<SearchResult> {
  const search = createSearch("coarse-to-fine", { proposals: 0 });
  return await runSearch({ env, agent: reader, task, search, seed: 1, seesOutcome: false, ...options });
}

test("answers as well as reading everything, with a fraction of the reading, and once", async () => {
  const results = await Promise.all(tasks.map((task) => navigate(task)));
  expect(results.every(({ success }) => success === true)).toBe(true);
  expect(results.every((result) => result.irreversible === 1 && harmBeside(result) === 0)).toBe(true);
  const { trajectories } = await rollOut({
    env,
    agent: reader,
    tasks,
    strategy: createStrategy("group", { size: 1 }),
    seed: 1,
  });
  const everything = mean(trajectories.map(({ steps }) => steps.length));
  expect(mean(results.map(({ nodes }) => nodes))).toBeLessThan(everything / 2);
});

test("the caption of an action is what names its subject", () => {
  const page =
    "Question: Who?\n1: records of Tor\n12: records of Ul\nThe clerk of Tor was Ven Os. The reeve of Tor was Ral Is.";
  expect(captionOf("open 1", page)).toBe("1: records of Tor");
  expect(captionOf("answer Ven Os", page)).toBe("The clerk of Tor was Ven Os.");
  expect(captionOf("click[ral is]", page)).toBe("The reeve of Tor was Ral Is.");
  expect([captionOf("up", page), captionOf("answer Nobody", page)]).toEqual(["", ""]);
});

test("a text model may choose instead, and a budget of places ends it", async () => {
  const [task] = tasks as [Task];
  const asker = scriptedAsker([[/What to do next/, () => "1"]]);
  const led = await navigate(task, { asker });
  expect(led.actions[0]).toBe("open 1");
  const search = createSearch("coarse-to-fine", { proposals: 0, places: 2 });
  const short = await navigate(task, { search });
  expect(short.nodes).toBeLessThanOrEqual(4);
});
