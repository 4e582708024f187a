/**
 * A large lake as trainings leave it: runs of updates, groups of 8 episodes, exact tokens, metrics, skills, credit and
 * evaluations. `tsx research/bench/lake.ts FOLDER [TRAJECTORIES]` writes one to look at; the benches write theirs to a temporary
 * folder.
 */
import { pathToFileURL } from "node:url";
import { createRng, type Rng } from "../../packages/base/src/base/rng.ts";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import type { RunWriter } from "../../packages/store/src/store/store.ts";
import type { Step, TokenStream, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

export interface LakeOptions {
  readonly trajectories: number;
  readonly runs: number;
  /** Merges the segments of each run afterwards, as `limbeck compact` does. */
  readonly compact?: boolean;
  readonly onProgress?: (done: number) => void;
}

export interface Lake {
  readonly trajectories: number;
  readonly steps: number;
  readonly commits: number;
}

const GROUP = 8;
const GROUPS = 8;
const READ = 12;
const SAID = 6;
const FAMILIES = ["pick_and_place", "clean", "heat", "cool", "look", "pick_two"];
const PLACES = ["countertop", "fridge", "shelf", "drawer", "desk", "sofa", "sinkbasin", "microwave"];
const THINGS = ["apple", "mug", "bread", "knife", "plate", "pencil", "book", "lamp"];
/** Different token streams; episodes share them, because to draw them takes longer than to store them. */
const POOL = 64;
const LONGEST = 24;

/** Episodes have 6 to 24 steps, 15 in the mean. */
export async function writeLake(root: string, options: LakeOptions): Promise<Lake> {
  const store = openStore(root);
  const rng = createRng("lake");
  const pool = Array.from({ length: POOL }, (_, at) => stream(createRng(`stream ${at}`)));
  const each = Math.ceil(options.trajectories / options.runs);
  let [trajectories, steps, commits] = [0, 0, 0];
  for (let run = 0; run < options.runs; run += 1) {
    const config = {
      recipe: run % 2 === 0 ? "opid" : "grpo",
      env: "household",
      seed: run,
      updates: Math.ceil(each / (GROUP * GROUPS)),
    };
    const writer = await store.createRun({ id: `lake-${String(run).padStart(3, "0")}`, kind: "train", config });
    for (let update = 1, left = each; left > 0; update += 1) {
      const episodes = Array.from({ length: Math.min(left, GROUP * GROUPS) }, (_, at) =>
        episode(update, at, pool, rng),
      );
      left -= episodes.length;
      for (const one of episodes) await writer.append(one);
      await record(writer, update, episodes, rng);
      await writer.commit();
      trajectories += episodes.length;
      steps += episodes.reduce((total, one) => total + one.steps.length, 0);
      commits += 1;
      options.onProgress?.(trajectories);
    }
    await writer.close();
  }
  if (options.compact === true) await store.compact({ graceMs: 0 });
  await store.close();
  return { trajectories, steps, commits };
}

function stream(rng: Rng): TokenStream {
  const length = LONGEST * (READ + SAID);
  const mask = Uint8Array.from({ length }, (_, at) => (at % (READ + SAID) < READ ? 0 : 1));
  const ids = Int32Array.from({ length }, () => rng.int(1_000));
  return { ids, mask, logprobs: Float32Array.from(mask, (made) => (made === 1 ? -3 * rng.float() : 0)) };
}

function episode(update: number, at: number, pool: readonly TokenStream[], rng: Rng): Trajectory {
  const group = `${update}/household-${Math.floor(at / GROUP)}`;
  const count = 6 + rng.int(LONGEST - 5);
  const whole = pool[rng.int(POOL)] as TokenStream;
  const success = rng.float() < 0.5;
  const goal = rng.int(THINGS.length);
  const steps = Array.from({ length: count }, (_, index): Step => {
    const [place, thing] = [PLACES[rng.int(3)], THINGS[(goal + rng.int(2)) % THINGS.length]];
    return {
      index,
      observation: `You arrive at ${place} ${index % 3}. On it you see a ${thing} ${rng.int(3)}, a bread 1 and a knife 2.`,
      stateKey: `${group} ${index} ${place}`,
      action: index % 2 === 0 ? `go to ${place} ${index % 3}` : `take ${thing} 1 from ${place} ${index % 3}`,
      valid: rng.float() < 0.95,
      reward: { kind: "scored", value: index === count - 1 && success ? 1 : 0 },
      span: { stream: 0, start: index * (READ + SAID) + READ, end: (index + 1) * (READ + SAID) },
    };
  });
  const end = count * (READ + SAID);
  return {
    id: `${group}/${at % GROUP}`,
    task: {
      id: group,
      env: "household",
      seed: update,
      goal: `put a clean ${THINGS[goal]} in the ${PLACES[goal]}`,
      split: "train",
      data: { family: FAMILIES[goal % FAMILIES.length] as string, dial: "tiny" },
    },
    group,
    steps,
    streams: [
      {
        ids: whole.ids.subarray(0, end),
        mask: whole.mask.subarray(0, end),
        ...(whole.logprobs === undefined ? {} : { logprobs: whole.logprobs.subarray(0, end) }),
      },
    ],
    ending: success ? "terminated" : rng.float() < 0.9 ? "truncated" : "failed",
    reward: { kind: "scored", value: Number(success) },
    success,
    rewards: [],
    policy: { name: "local", version: update },
    closing: { observation: success ? "Done." : "Nothing happens." },
    info: { phase: "train", update },
  };
}

/** What a training writes beside its episodes. */
async function record(writer: RunWriter, update: number, episodes: readonly Trajectory[], rng: Rng): Promise<void> {
  const solved = episodes.filter(({ success }) => success === true).length;
  const success = solved / episodes.length;
  await writer.addMetrics(update, {
    success,
    reward: success,
    entropy: 1 / update,
    seconds: 3,
    "spent/environmentSteps": 900 * update,
  });
  for (const { id } of episodes.slice(0, GROUP)) {
    const evidence = [{ trajectory: id, steps: [0, 1] }];
    const text = `Look at the ${PLACES[rng.int(PLACES.length)]} first.`;
    await writer.addSkill({
      id: text,
      level: "episode",
      text,
      trajectory: id,
      data: { update, shift: rng.float(), tokens: 60, evidence },
    });
  }
  const group = episodes[0]?.group ?? "";
  const rows = episodes.slice(0, GROUP).flatMap(({ id, steps }) =>
    steps.map(({ index }) => ({
      trajectory: id,
      step: index,
      advantages: Array.from({ length: SAID }, () => Math.round(rng.float() * 1e4) / 1e4),
      shift: Array.from({ length: SAID }, () => Math.round(rng.float() * 1e4) / 1e4),
      teacher: "episode",
    })),
  );
  await writer.addEvent("credit", { update, group, rows });
  await writer.addEvent("update", { update, success, seconds: 3 });
  if (update % 10 === 0) {
    const [low, high] = [Math.max(0, success - 0.1), Math.min(1, success + 0.1)];
    await writer.addEvent("evaluation", { phase: "validation", update, success, low, high, tasks: 96 });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [folder, count = "200000"] = process.argv.slice(2);
  if (folder === undefined) throw new Error("Give a folder to write the lake to.");
  const started = performance.now();
  const lake = await writeLake(folder, {
    trajectories: Number(count),
    runs: 20,
    compact: process.argv.includes("--compact"),
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(
    `${lake.trajectories} trajectories, ${lake.steps} steps, ${lake.commits} commits in ${seconds} s\n`,
  );
}
