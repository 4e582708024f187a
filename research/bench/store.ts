/** Benches of the store: writing, querying and reading back, each end to end through the public interface. */
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createRng, type Rng } from "../../packages/base/src/base/rng.ts";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import type { Step, TokenStream, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { memoryMib, seconds, type Bench } from "./harness.ts";

const STEPS_EACH = 20;

/** How many different token streams there are; episodes share them, because to draw them takes longer than to store them. */
const POOL = 64;

/** Streams of 20 steps each; two thirds of a step's tokens are what the policy read. */
function streamPool(tokensEach: number): TokenStream[] {
  const length = STEPS_EACH * tokensEach;
  const read = Math.floor((tokensEach * 2) / 3);
  return Array.from({ length: POOL }, (_, index) => {
    const rng = createRng(`stream-${index}`);
    const mask = Uint8Array.from({ length }, (_, at) => (at % tokensEach < read ? 0 : 1));
    const ids = Int32Array.from({ length }, () => rng.int(1000));
    return { ids, mask, logprobs: Float32Array.from(mask, (produced) => (produced === 1 ? -3 * rng.float() : 0)) };
  });
}

/** An episode of 20 steps in one append-only stream. */
function episode(index: number, pool: readonly TokenStream[], rng: Rng): Trajectory {
  const stream = pool[index % pool.length] as TokenStream;
  const tokensEach = stream.ids.length / STEPS_EACH;
  const read = Math.floor((tokensEach * 2) / 3);
  const steps = Array.from({ length: STEPS_EACH }, (_, step): Step => ({
    index: step,
    observation: `You arrive at countertop ${step % 5}. On it you see an apple ${rng.int(50)}, a bread 1 and a knife ${step % 7}.`,
    stateKey: `countertop-${rng.int(200)}`,
    action: `take apple ${step} from countertop ${step % 5}`,
    valid: true,
    reward: { kind: "scored", value: step === STEPS_EACH - 1 ? 1 : 0 },
    span: { stream: 0, start: step * tokensEach + read, end: (step + 1) * tokensEach },
  }));
  return {
    id: `episode-${index}`,
    task: {
      id: `task-${index % 100}`,
      env: "household",
      seed: index,
      goal: "Put a clean apple in the fridge.",
      split: "train",
    },
    group: `task-${index % 100}`,
    steps,
    streams: [stream],
    ending: "terminated",
    reward: { kind: "scored", value: rng.int(2) },
    success: true,
    rewards: [],
    policy: { name: "local", version: 1 },
  };
}

function episodes(count: number, tokensEach: number): Trajectory[] {
  const rng = createRng("bench");
  const pool = streamPool(tokensEach);
  return Array.from({ length: count }, (_, index) => episode(index, pool, rng));
}

function ingest(tokensEach: number, steps: number, goal: number): Bench {
  return {
    name: `store/ingest-${tokensEach}`,
    summary: `Appends and commits ${steps} steps of ${tokensEach} tokens through one writer, synced to disk.`,
    unit: "steps/s",
    goal: { at: "least", value: goal },
    setUp: async (folder) => {
      const store = openStore(folder);
      const data = episodes(steps / STEPS_EACH, tokensEach);
      const memory: number[] = [];
      return {
        measure: async () => {
          const taken = await seconds(async () => {
            const writer = await store.createRun();
            for (const trajectory of data) await writer.append(trajectory);
            await writer.close();
          });
          memory.push(memoryMib());
          return steps / taken;
        },
        notes: () => ({ "MiB after first run": memory[0] ?? 0, "after last": memory.at(-1) ?? 0 }),
      };
    },
  };
}

const groupBy: Bench = {
  name: "store/group-by",
  summary: "Mean reward and count by state over 1 million steps in some 60 segments, through store.query.",
  unit: "s",
  goal: { at: "most", value: 1 },
  setUp: async (folder) => {
    const store = openStore(folder);
    const writer = await store.createRun();
    const rng = createRng("group-by");
    const pool = streamPool(48);
    for (let index = 0; index < 1_000_000 / STEPS_EACH; index += 1) await writer.append(episode(index, pool, rng));
    await writer.close();
    const sql =
      "select state_key, avg(reward) as mean, count(*) as steps from steps group by state_key order by mean desc";
    return {
      measure: () =>
        seconds(async () => {
          const { rows } = await store.query(sql);
          const counted = rows.reduce((sum, row) => sum + Number(row[2]), 0);
          if (counted !== 1_000_000) throw new Error(`Counted ${counted} steps.`);
        }),
    };
  },
};

const readBack: Bench = {
  name: "store/read-back",
  summary: "Streams 5,000 whole trajectories of 20 steps of 48 tokens back from a run.",
  unit: "trajectories/s",
  repetitions: 3,
  setUp: async (folder) => {
    const store = openStore(join(folder));
    const writer = await store.createRun();
    for (const trajectory of episodes(5000, 48)) await writer.append(trajectory);
    await writer.close();
    const memory: number[] = [];
    return {
      measure: async () => {
        let count = 0;
        const taken = await seconds(async () => {
          for await (const trajectory of store.trajectories()) count += trajectory.steps.length === STEPS_EACH ? 1 : 0;
        });
        if (count !== 5000) throw new Error(`Read ${count} trajectories.`);
        memory.push(memoryMib());
        return count / taken;
      },
      notes: () => ({ "MiB after first run": memory[0] ?? 0, "after last": memory.at(-1) ?? 0 }),
    };
  },
};

/** A store is opened anew each time, because one that is open verifies each segment once. */
async function firstRead(root: string): Promise<number> {
  const store = openStore(root);
  try {
    let count = 0;
    const taken = await seconds(async () => {
      for await (const trajectory of store.trajectories()) count += trajectory.steps.length === STEPS_EACH ? 1 : 0;
    });
    if (count !== 5000) throw new Error(`Read ${count} trajectories.`);
    return taken;
  } finally {
    await store.close();
  }
}

const checksums: Bench = {
  name: "store/checksums",
  summary:
    "The first read of 5,000 trajectories, every segment held against its checksum, as a multiple of the same without checksums.",
  unit: "times",
  goal: { at: "most", value: 1.1 },
  repetitions: 9,
  warmUps: 1,
  setUp: async (folder) => {
    const [checked, plain] = [join(folder, "checked"), join(folder, "plain")];
    const store = openStore(checked);
    const writer = await store.createRun({ id: "run" });
    for (const trajectory of episodes(5000, 48)) await writer.append(trajectory);
    await writer.close();
    await store.close();
    await cp(checked, plain, { recursive: true });
    // Commits from before there were checksums: their segments are taken as they are.
    const commits = join(plain, "run", "commits");
    let without = 0;
    for (const file of await readdir(commits)) {
      const text = await readFile(join(commits, file), "utf8");
      const bare = text.replaceAll(/,"sha256":"[0-9a-f]{64}"/g, "");
      if (bare !== text) without += 1;
      await writeFile(join(commits, file), bare);
    }
    if (without === 0) throw new Error("No commit names a checksum.");
    const notes: Record<string, string> = {};
    let round = 0;
    return {
      measure: async () => {
        round += 1;
        const [first, second] = round % 2 === 0 ? [checked, plain] : [plain, checked];
        const [one, other] = [await firstRead(first), await firstRead(second)];
        const [taken, bare] = round % 2 === 0 ? [one, other] : [other, one];
        notes[`round ${round}`] = `${taken.toFixed(3)} s for ${bare.toFixed(3)} s`;
        return taken / bare;
      },
      notes: () => notes,
    };
  },
};

export const storeBenches: readonly Bench[] = [
  ingest(48, 100_000, 20_000),
  ingest(600, 20_000, 5_000),
  groupBy,
  readBack,
  checksums,
];
