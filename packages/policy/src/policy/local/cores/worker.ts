/** The program of a thread that computes for a policy: its own copy of the weights, its own sessions, one core. */
import { parentPort, workerData } from "node:worker_threads";
import { errorData } from "limbeck-base/base/errors";
import type { Program } from "../../../graph/program.ts";
import type { Conversation } from "../../policy.ts";
import { createSampler } from "../sampler.ts";
import { viewsOf, type Weights } from "../weights.ts";
import { wholeGraphs } from "../whole-graphs.ts";
import { ADAPTER, BASE, type CoreSetup, type FromCore, type GraphRun, type Outputs, type ToCore } from "./messages.ts";

const { config, places, adapterPlaces, options } = workerData as CoreSetup;
const graphs = wholeGraphs(config, options);

interface Held {
  readonly flat: Float32Array;
  readonly views: Record<string, Float32Array>;
}

const held = new Map<number, Held>();
const holdingOf = (set: number): Held => {
  const laid = set === ADAPTER && adapterPlaces !== undefined ? adapterPlaces : places;
  const flat = new Float32Array(sizeOf(laid));
  const known = held.get(set) ?? { flat, views: viewsOf(flat, laid) };
  held.set(set, known);
  return known;
};
const own = {
  ...holdingOf(BASE).views,
  ...(adapterPlaces === undefined ? {} : holdingOf(ADAPTER).views),
};
const learned = adapterPlaces ?? places;

let [changes, shift] = [0, 0];
const sampler = createSampler({
  config,
  weights: own,
  version: () => changes,
  versionName: (count) => count + shift,
  program: (shape) => graphs.decode(shape),
  draft: options.draft,
  draftTree: options.draftTree,
  draftNodes: options.draftNodes,
  drafter: undefined,
  ...(options.maxRows === undefined ? {} : { maxRows: options.maxRows }),
  ...(options.threads === undefined ? {} : { threads: options.threads }),
});
const talks = new Map<number, Conversation>();
const talkOf = (talk: number): Conversation => talks.get(talk) as Conversation;
const sampling = new Map<number, AbortController>();

const say = (message: FromCore, moved: ArrayBuffer[] = []): void => parentPort?.postMessage(message, moved);

/** Graphs run one after the other; sampling goes on in between. */
let last: Promise<unknown> = Promise.resolve();

async function run({ graph, set, shape, feeds, gradient }: GraphRun): Promise<Outputs> {
  const program = await graphs[graph](shape);
  const weights = set === BASE ? own : holdingOf(set).views;
  const outputs = await program.run({ ...weights, ...feeds }, gradient === undefined ? {} : into(program, gradient));
  return Object.fromEntries(Object.entries(outputs).filter(([name]) => !name.startsWith(GRADIENT)));
}

const GRADIENT = "gradient ";

/** The places of those gradients that the graph gives; the others are zero. */
function into({ model }: Program, gradient: Float32Array): Record<string, Float32Array> {
  const views = Object.entries(viewsOf(gradient, learned)).map(([name, view]) => [GRADIENT + name, view] as const);
  const given = views.filter(([name]) => name in model.outputs);
  if (given.length < views.length) gradient.fill(0);
  return Object.fromEntries(given);
}

async function sample(message: ToCore & { kind: "sample" }): Promise<void> {
  const { id } = message;
  // It may be closed before its response is sampled.
  const talk = talkOf(message.talk);
  const stop = new AbortController();
  sampling.set(id, stop);
  try {
    const sampled = await talk.sample({ ...message.options, signal: stop.signal });
    say({ kind: "said", id, sampled, decoded: sampler.decoded });
  } catch (error) {
    say({ kind: "failed", id, error: errorData(error), tokens: talk.tokens });
  } finally {
    sampling.delete(id);
  }
}

function sizeOf(laid: Weights["places"]): number {
  let size = 0;
  for (const { shape } of laid.values()) size += shape.reduce((product, side) => product * side, 1);
  return size;
}

parentPort?.on("message", (message: ToCore) => {
  switch (message.kind) {
    case "weights": {
      holdingOf(message.set).flat.set(message.flat);
      if (message.set <= ADAPTER) {
        changes = message.changes;
        shift = message.version - message.changes;
      }
      return say({ kind: "taken", id: message.id });
    }
    case "run": {
      const { id, gradient } = message;
      last = last.then(async () => {
        try {
          const outputs = await run(message);
          const moved = gradient === undefined ? [] : [gradient.buffer as ArrayBuffer];
          say({ kind: "ran", id, outputs, gradient }, moved);
        } catch (error) {
          say({ kind: "failed", id, error: errorData(error) });
        }
      });
      return;
    }
    case "open": {
      const { after, ...start } = message.start;
      talks.set(message.talk, sampler.open(after === undefined ? start : { ...start, after: talkOf(after) }));
      return;
    }
    case "extend":
      return talkOf(message.talk).extend(message.ids);
    case "fork":
      return void talks.set(message.talk, talkOf(message.from).fork(message.label));
    case "close":
      talks.get(message.talk)?.close();
      return void talks.delete(message.talk);
    case "sample":
      return void sample(message);
    case "stop":
      return sampling.get(message.id)?.abort();
    case "end":
      return void last.then(() => graphs.close()).then(() => parentPort?.close());
  }
});
