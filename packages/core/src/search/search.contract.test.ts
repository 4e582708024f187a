import { describe, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import { createSearch, allSearches } from "./registry.ts";
import { searchContract } from "./search.contract.ts";

/** Whether it asks a text model anything on the ground of the contract. */
async function asks(name: string): Promise<boolean> {
  const { env, agent } = createCheckGround();
  const [task] = env.tasks("train", { count: 1 }) as Iterable<Task>;
  let asked = 0;
  const asker = async () => {
    asked += 1;
    return { text: "go east", usage: {} };
  };
  await runSearch({ env, agent, task: task as Task, search: createSearch(name), seed: "contract", asker });
  return asked > 0;
}

for (const name of Object.keys(allSearches)) {
  const create = () => createSearch(name);
  // One that asks nothing does the same with a model and without: both are tried by night.
  if (tries(0, 1) === 1 || (await asks(name)))
    searchContract({ name, create, asks: false, budgets: tries(2, 12), runner: { describe, test } });
  // Five kinds of budgets come in turn.
  searchContract({ name: `${name} with a text model`, create, budgets: tries(5, 12), runner: { describe, test } });
}
