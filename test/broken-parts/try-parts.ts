/**
 * A process that loads files and uses what they hold, one after the other, and says with which error each ended: a line
 * of JSON each. Files that loop, exit or write must not end it.
 *
 *     tsx try-parts.ts FOLDER < modules.json
 */
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { credit, evaluate, rollout, search, train, loadPart } from "limbeck";
import { getCredit } from "limbeck/credit";
import { checkEnv } from "limbeck/testing";
import type { ObjectiveMethod } from "../../packages/core/src/objective/objective.ts";
import type { World } from "limbeck/env";
import { rewardTrajectories } from "limbeck/reward";
import { createStrategy, createDemonstratorAgent } from "limbeck/search";
import { errorData, type PlainError } from "../../packages/base/src/base/errors.ts";
import { holdProcess } from "../../packages/base/src/base/parts/hold-process.ts";

interface Given {
  readonly file: string;
  readonly kind: string;
  readonly seconds: number;
}

const [folder = "."] = process.argv.slice(2);
const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 2, group: 1 });
const first = createDemonstratorAgent({
  id: "first",
  summary: "Takes the first action.",
  start: () => ({ next: ({ admissible }) => admissible?.[0] ?? "on" }),
});

const uses: Readonly<Record<string, (name: string, part: object) => Promise<unknown>>> = {
  environment: async (_, part) => {
    const world = part as World;
    const env = await world.create();
    const tasks = [];
    for await (const task of env.tasks("train", { offset: 0, count: 1 })) tasks.push(task);
    for (const script of Object.values(world.demonstrators ?? {})) {
      await lostIn(rollout({ env, policy: createDemonstratorAgent(script), tasks: 1, group: 1 }));
    }
    // A lost episode is no lost rollout: it says why it was lost.
    await lostIn(rollout({ env, policy: first, tasks: 1, group: 1 }));
    for (const task of tasks) {
      const episode = await env.open(task);
      episode.admissible();
      await (await episode.fork()).close();
      await episode.close();
    }
    await checkEnv(env, { runs: 5, seed: 1 });
  },
  reward: (name) => rewardTrajectories(trajectories, { rewards: [{ use: name }], reward: "own" }),
  "credit method": (name) => Promise.resolve(credit({ method: getCredit(name), of: trajectories })),
  strategy: (name) => rollout({ env: "countdown", policy: "expert", tasks: 1, strategy: createStrategy(name) }),
  search: (name) => search({ env: "countdown", policy: "expert", tasks: 1, search: name as never }),
  objective: (_, part) => {
    const row = { ids: Int32Array.of(1, 2), mask: Uint8Array.of(0, 1) };
    const live = { logprob: [Float64Array.of(0, -0.5)] };
    return Promise.resolve((part as ObjectiveMethod).create().compute(live, live, [row]));
  },
  agent: (name) => lostIn(rollout({ env: "countdown", policy: name, tasks: 1, group: 1 })),
  recipe: (name) =>
    train({
      recipe: name as "grpo",
      steps: 1,
      report: { tasks: 1 },
      validation: { every: 0 },
      settings: { tasks: 1, group: 2, maxSteps: 2 },
      dir: join(folder, `run-${name.split("#")[1]}`),
      keep: false,
    }),
};

async function lostIn(playing: ReturnType<typeof rollout>): Promise<void> {
  for (const { failure } of (await playing).trajectories)
    if (failure !== undefined) throw Object.assign(new Error(), { failure });
}

async function outcome({ file, kind, seconds }: Given): Promise<PlainError | null> {
  try {
    const { name, part } = await loadPart(join(folder, file), { kind, seconds });
    await uses[kind]?.(name, part);
    return null;
  } catch (error) {
    return typeof error === "object" && error !== null && "failure" in error
      ? (error.failure as PlainError)
      : errorData(error);
  }
}

const say = process.stdout.write.bind(process.stdout);
holdProcess();
await evaluate({ env: "countdown", policy: "expert", tasks: 1 });
for (const given of JSON.parse(await text(process.stdin)) as Given[]) {
  say(`${JSON.stringify({ file: given.file, error: await outcome(given) })}\n`);
}
process.exit(0);
