/** Whether two runs of one store hold the same: parameters and the optimiser's state bit by bit, episodes and metrics. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openStore } from "../../packages/store/src/store/open-store.ts";

export interface Compared {
  readonly parameters: number;
  readonly differentParameters: number;
  readonly differentOptimiserNumbers: number;
  readonly episodes: number;
  readonly lost: number;
  readonly doubled: number;
  /** Episodes of the second that the first has not, or has with other tokens. */
  readonly different: number;
  readonly metrics: number;
  readonly faults: readonly string[];
}

export async function compareRuns(root: string, first: string, second: string): Promise<Compared> {
  const [a, b] = [await readRun(root, first), await readRun(root, second)];
  const weights = compareTensors(a.weights, b.weights);
  const state = compareTensors(a.state, b.state);
  const lost = [...a.episodes.keys()].filter((id) => !b.episodes.has(id)).length;
  const doubled = b.ids.length - b.episodes.size;
  const different = [...b.episodes].filter(([id, hash]) => a.episodes.get(id) !== hash).length;
  const faults: string[] = [];
  const expect = (fine: boolean, fault: string): void => void (fine || faults.push(fault));
  expect(weights.different === 0, `${weights.different} parameters differ`);
  expect(state.different === 0, `${state.different} numbers of the optimiser differ`);
  expect(lost === 0, `${lost} episodes are lost`);
  expect(doubled === 0, `${doubled} episodes are there twice`);
  expect(different === 0, `${different} episodes differ`);
  expect(a.metrics.join() === b.metrics.join(), "steps of the metrics differ");
  return {
    parameters: weights.numbers,
    differentParameters: weights.different,
    differentOptimiserNumbers: state.different,
    episodes: b.ids.length,
    lost,
    doubled,
    different,
    metrics: b.metrics.length,
    faults,
  };
}

interface RunContent {
  readonly weights: Tensors;
  readonly state: Tensors;
  readonly ids: readonly string[];
  /** A hash of the steps' actions and of the tokens, by id. */
  readonly episodes: ReadonlyMap<string, string>;
  readonly metrics: readonly string[];
}

async function readRun(root: string, run: string): Promise<RunContent> {
  const model = join(root, run, "model");
  const weights = await readTensors(join(model, "model.safetensors"));
  const state = await readTensors(join(model, weights.metadata["limbeck.state"] ?? ""));
  const store = openStore(root);
  try {
    const ids: string[] = [];
    const episodes = new Map<string, string>();
    for await (const { id, steps, streams, reward } of store.trajectories({ run })) {
      ids.push(id);
      const tokens = streams.map((stream) => [[...stream.ids], [...(stream.logprobs ?? [])]]);
      const said = JSON.stringify([reward, steps.map(({ action }) => action), tokens]);
      episodes.set(id, createHash("sha256").update(said).digest("hex"));
    }
    const { rows } = await store.query("select step, count(*) from metrics group by step order by step", { run });
    return { weights, state, ids, episodes, metrics: rows.map((row) => Object.values(row).join(":")) };
  } finally {
    await store.close();
  }
}

interface Tensors {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tensors: ReadonlyMap<string, Uint8Array>;
}

async function readTensors(file: string): Promise<Tensors> {
  const bytes = await readFile(file);
  const length = Number(bytes.readBigUInt64LE(0));
  const { __metadata__: metadata = {}, ...entries } = JSON.parse(String(bytes.subarray(8, 8 + length))) as Record<
    string,
    never
  >;
  const data = bytes.subarray(8 + length);
  const tensors = Object.entries(entries as Record<string, { readonly data_offsets: readonly [number, number] }>).map(
    ([name, { data_offsets: offsets }]) => [name, data.subarray(...offsets)] as const,
  );
  return { metadata, tensors: new Map(tensors) };
}

/** In numbers of four bytes; a tensor that only one of them has differs as a whole. */
function compareTensors(a: Tensors, b: Tensors): { readonly numbers: number; readonly different: number } {
  let [numbers, different] = [0, 0];
  for (const name of new Set([...a.tensors.keys(), ...b.tensors.keys()])) {
    const [left, right] = [a.tensors.get(name) ?? new Uint8Array(), b.tensors.get(name) ?? new Uint8Array()];
    const bytes = Math.max(left.length, right.length);
    numbers += bytes / 4;
    for (let at = 0; at < bytes; at += 4) {
      if (![0, 1, 2, 3].every((byte) => left[at + byte] === right[at + byte])) different += 1;
    }
  }
  return { numbers, different };
}
