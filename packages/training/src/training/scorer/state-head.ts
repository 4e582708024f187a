/**
 * A head on the hidden states that a policy itself samples from. Sampling has computed them already, so that what the head
 * says costs next to nothing; the policy's weights stay as they are.
 *
 *   z = out . tanh(up (x - centre) / spread + upBias) + outBias
 */
import { join } from "node:path";
import { createRng, shuffle } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { mean } from "limbeck-base/base/statistics/summary";
import { openSafetensors, writeSafetensors } from "limbeck-policy/policy/local/safetensors";
import { sigmoid, softplus } from "./losses.ts";

const FILE = "state-head.safetensors";
const PARTS = ["centre", "spread", "up", "upBias", "out", "outBias"] as const;
type HeadPart = (typeof PARTS)[number];

export type StateHead = Readonly<Record<HeadPart, Float32Array>>;

/** States one after the other, and what each foretells. */
export interface StateExamples {
  readonly states: Float32Array;
  readonly labels: Float32Array;
}

export interface FitOptions {
  /** Default: 32. */
  readonly inner?: number;
  /** What is best on the examples kept apart is kept. Default: as many as see 400,000 examples, 3 to 100. */
  readonly epochs?: number;
  readonly seed?: number;
  readonly onEpoch?: (epoch: { readonly epoch: number; readonly loss: number; readonly validLoss: number }) => void;
}

const BATCH = 128;
const RATE = 0.003;
const DECAY = 0.0001;

/** By binary cross-entropy and Adam; examples kept apart say when to stop. */
export function fitStateHead(
  learning: StateExamples,
  checking: StateExamples,
  size: number,
  { inner = 32, seed = 0, onEpoch, ...more }: FitOptions = {},
): StateHead {
  const count = learning.labels.length;
  const epochs = more.epochs ?? Math.min(100, Math.max(3, Math.round(400_000 / Math.max(1, count))));
  if (count === 0) throw new EngineError("bad-input", "There are no states to learn from.");
  const rng = createRng(`state head ${seed}`);
  const { centre, spread } = scaleOf(learning.states, size);
  const flat = new Float32Array(inner * size + 2 * inner + 1);
  for (let at = 0; at < inner * size; at += 1) flat[at] = rng.normal() / Math.sqrt(size);
  for (let at = 0; at < inner; at += 1) flat[inner * size + inner + at] = rng.normal() / Math.sqrt(inner);
  const headOf = (all: Float32Array): StateHead => ({ centre, spread, ...partsOf(all, size, inner) });
  const [first, second] = [new Float64Array(flat.length), new Float64Array(flat.length)];
  const gradient = new Float64Array(flat.length);
  const steps = epochs * Math.ceil(count / BATCH);
  let [best, kept, step] = [Number.POSITIVE_INFINITY, flat.slice(), 0];
  for (let epoch = 1; epoch <= epochs; epoch += 1) {
    const order = shuffle([...learning.labels.keys()], rng.split(epoch));
    const losses: number[] = [];
    for (let from = 0; from < count; from += BATCH) {
      const some = order.slice(from, from + BATCH);
      gradient.fill(0);
      losses.push(addGradients(headOf(flat), learning, some, gradient));
      step += 1;
      const rate = RATE * (1 - (step - 1) / steps);
      for (let at = 0; at < flat.length; at += 1) {
        const slope = (gradient[at] as number) + DECAY * (flat[at] as number);
        const m = (first[at] = 0.9 * (first[at] as number) + 0.1 * slope);
        const v = (second[at] = 0.999 * (second[at] as number) + 0.001 * slope * slope);
        const corrected = Math.sqrt(v / (1 - 0.999 ** step)) + 1e-8;
        flat[at] = (flat[at] as number) - (rate * (m / (1 - 0.9 ** step))) / corrected;
      }
    }
    const validLoss = checking.labels.length === 0 ? mean(losses) : lossOn(headOf(flat), checking);
    onEpoch?.({ epoch, loss: mean(losses), validLoss });
    if (validLoss < best) [best, kept] = [validLoss, flat.slice()];
  }
  return headOf(kept);
}

/** What the head says of one state, before it becomes a chance. */
export function stateValue({ centre, spread, up, upBias, out, outBias }: StateHead, state: Float32Array): number {
  const size = centre.length;
  let z = outBias[0] as number;
  for (let unit = 0; unit < out.length; unit += 1) {
    let sum = upBias[unit] as number;
    for (let at = 0; at < size; at += 1) {
      const scaled = ((state[at] as number) - (centre[at] as number)) / (spread[at] as number);
      sum += (up[unit * size + at] as number) * scaled;
    }
    z += (out[unit] as number) * Math.tanh(sum);
  }
  return z;
}

export async function saveStateHead(folder: string, head: StateHead): Promise<void> {
  const size = head.centre.length;
  const shapes: Readonly<Partial<Record<HeadPart, readonly number[]>>> = { up: [head.out.length, size] };
  await writeSafetensors(
    join(folder, FILE),
    PARTS.map((name) => ({ name, shape: shapes[name] ?? [head[name].length], data: head[name], type: "F32" as const })),
  );
}

/** For states of so many numbers. */
export async function readStateHead(folder: string, size: number): Promise<StateHead> {
  const file = await openSafetensors(join(folder, FILE));
  try {
    const parts = new Map<HeadPart, Float32Array>();
    for (const name of PARTS) {
      const place = file.tensors.get(name);
      if (place === undefined) throw new EngineError("bad-weights", `${FILE} of "${folder}" has no "${name}".`);
      const values = new Float32Array(place.shape.reduce((all, some) => all * some, 1));
      await file.readInto(name, values);
      parts.set(name, values);
    }
    const head = Object.fromEntries(parts) as StateHead;
    const inner = head.out.length;
    const fits =
      [head.centre, head.spread].every(({ length }) => length === size) &&
      head.up.length === inner * size &&
      head.upBias.length === inner &&
      head.outBias.length === 1;
    if (fits) return head;
    throw new EngineError(
      "bad-weights",
      `${FILE} of "${folder}" is a head on states of ${head.centre.length} numbers; those of the model have ${size}.`,
    );
  } finally {
    await file.close();
  }
}

function partsOf(
  flat: Float32Array,
  size: number,
  inner: number,
): Pick<StateHead, "up" | "upBias" | "out" | "outBias"> {
  const wide = inner * size;
  return {
    up: flat.subarray(0, wide),
    upBias: flat.subarray(wide, wide + inner),
    out: flat.subarray(wide + inner, wide + 2 * inner),
    outBias: flat.subarray(wide + 2 * inner),
  };
}

function scaleOf(states: Float32Array, size: number): Pick<StateHead, "centre" | "spread"> {
  const count = states.length / size;
  const [sums, squares] = [new Float64Array(size), new Float64Array(size)];
  for (let at = 0; at < states.length; at += 1) {
    const [place, value] = [at % size, states[at] as number];
    sums[place] = (sums[place] as number) + value;
    squares[place] = (squares[place] as number) + value * value;
  }
  const centre = Float32Array.from(sums, (sum) => sum / count);
  const spread = Float32Array.from(squares, (square, at) => {
    const variance = square / count - ((sums[at] as number) / count) ** 2;
    // A constant feature carries nothing; its deviation of 0 must not divide either.
    return variance > 1e-12 ? Math.sqrt(variance) : 1;
  });
  return { centre, spread };
}

/** Adds the mean gradient of these examples, laid out as the parts are; gives their mean loss. */
function addGradients(
  { centre, spread, up, upBias, out, outBias }: StateHead,
  { states, labels }: StateExamples,
  chosen: readonly number[],
  gradient: Float64Array,
): number {
  const [size, inner] = [centre.length, out.length];
  const [input, hidden] = [new Float64Array(size), new Float64Array(inner)];
  const wide = inner * size;
  let loss = 0;
  for (const example of chosen) {
    for (let at = 0; at < size; at += 1)
      input[at] = ((states[example * size + at] as number) - (centre[at] as number)) / (spread[at] as number);
    let z = outBias[0] as number;
    for (let unit = 0; unit < inner; unit += 1) {
      let sum = upBias[unit] as number;
      for (let at = 0; at < size; at += 1) sum += (up[unit * size + at] as number) * (input[at] as number);
      hidden[unit] = Math.tanh(sum);
      z += (out[unit] as number) * (hidden[unit] as number);
    }
    const label = labels[example] as number;
    loss += softplus(z) - label * z;
    const slope = (sigmoid(z) - label) / chosen.length;
    gradient[wide + 2 * inner] = (gradient[wide + 2 * inner] as number) + slope;
    for (let unit = 0; unit < inner; unit += 1) {
      const value = hidden[unit] as number;
      gradient[wide + inner + unit] = (gradient[wide + inner + unit] as number) + slope * value;
      const before = slope * (out[unit] as number) * (1 - value * value);
      gradient[wide + unit] = (gradient[wide + unit] as number) + before;
      for (let at = 0; at < size; at += 1)
        gradient[unit * size + at] = (gradient[unit * size + at] as number) + before * (input[at] as number);
    }
  }
  return loss / chosen.length;
}

function lossOn(head: StateHead, { states, labels }: StateExamples): number {
  const size = head.centre.length;
  let loss = 0;
  for (const [example, label] of labels.entries()) {
    const z = stateValue(head, states.subarray(example * size, (example + 1) * size));
    loss += softplus(z) - label * z;
  }
  return loss / labels.length;
}
