/** Trainings in the lucky world whose tasks come from a pool, and what the store kept of them. */
import { join } from "node:path";
import type { OptionValue } from "../../packages/base/src/base/option-table.ts";
import type { RecipeId } from "../../packages/core/src/recipe/registry.ts";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import type { Store } from "../../packages/store/src/store/store.ts";
import { train } from "../../packages/training/src/training/train.ts";
import type { TrainEvent } from "../../packages/training/src/training/events.ts";
import type { TrainOptions } from "../../packages/training/src/training/options.ts";
import { createLuckyWorld } from "./lucky-world.ts";
import { smallPlan } from "./small-training.ts";
import { collect } from "./stores.ts";
import { filledFolder } from "./temporary-folder.ts";
import { writeTinyModel } from "./tiny-folder.ts";

type Options = TrainOptions<RecipeId, string>;
type Given = Readonly<Record<string, OptionValue>>;

/** Answers of a random model do not fit into four tokens, and the run doctor would say so. */
const SMALL = { tasks: 2, group: 2, answerTokens: 4, learningRate: 0.01, doctor: "off" };

/** Call at the top of the file, and the results inside the tests. */
export function poolRuns() {
  const root = filledFolder((folder) => writeTinyModel(join(folder, "start")));

  const folderOf = (run: string): string => join(root(), "runs", run);

  function planOf(name: string, given: Given, more: Partial<Options> = {}): Options {
    const world = { env: createLuckyWorld(), envName: "lucky" };
    const place = { model: join(root(), "start"), dir: folderOf(name), steps: 4, keep: true };
    return smallPlan({ recipe: "grpo", ...world, ...place, given: { ...SMALL, ...given }, ...more });
  }

  async function trained(name: string, given: Given, more: Partial<Options> = {}) {
    const events: TrainEvent[] = [];
    await train({ ...planOf(name, given, more), onEvent: (event) => void events.push(event) });
    const updates = events.filter((event) => event.kind === "update");
    const rewards = updates.map(({ reward, entropy }) => [reward, entropy]);
    const total = (metric: string): number => updates.reduce((sum, { metrics }) => sum + (metrics[metric] ?? 0), 0);
    const notices = events.flatMap((event) => (event.kind === "notice" ? [event.message] : []));
    return { rewards, total, notices, updates };
  }

  async function stored<T>(read: (store: Store) => Promise<T>): Promise<T> {
    const store = openStore(join(root(), "runs"));
    try {
      return await read(store);
    } finally {
      await store.close();
    }
  }

  /** The tasks of each update, as the run stores them. */
  const storedTasks = (run: string): Promise<string[][]> =>
    stored(async (store) => {
      const byUpdate = new Map<number, Set<string>>();
      for (const { info, task } of await collect(store.trajectories({ run }))) {
        const update = Number(info?.["update"]);
        byUpdate.set(update, (byUpdate.get(update) ?? new Set()).add(task.id));
      }
      return [...byUpdate].toSorted(([left], [right]) => left - right).map(([, ids]) => [...ids]);
    });

  const eventsOf = (run: string, kind: string): Promise<unknown[]> =>
    stored(async (store) => {
      const { rows } = await store.query(`select data from events where kind = '${kind}'`, { run });
      return rows.map(([data]) => JSON.parse(String(data)) as unknown);
    });

  return { folderOf, planOf, trained, storedTasks, eventsOf };
}
