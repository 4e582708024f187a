/** A language model in this process that samples, scores and learns. */
import { checkOptions, may } from "limbeck-base/base/options";
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { ProgramOptions } from "../../graph/program.ts";
import type { TensorData } from "../../graph/tensor.ts";
import type { PolicyRef } from "limbeck-base/trajectory/trajectory";
import type { StatisticName } from "../objective.ts";
import type { Conversation, Learner, Policy, ScoreRow, WholeScorer } from "../policy.ts";
import { decodeGraph } from "./decode-graph.ts";
import { createCores, type Cores } from "./cores/cores.ts";
import { BASE, type CoreSetup, type GraphRun } from "./cores/messages.ts";
import { headsIn } from "./heads.ts";
import { createStateMemory, hiddenStates, statesGraph } from "./hidden-states.ts";
import type { Packing } from "./batches.ts";
import { LearnerCore } from "./learner.ts";
import { checkAdapter, type Adapter } from "./lora.ts";
import type { ModelConfig } from "./model-config.ts";
import { createPrograms, type Programs } from "./programs.ts";
import type { DraftingOptions } from "./draft/drafting.ts";
import type { DraftChoice } from "./draft/kinds.ts";
import { guessGraph, type DraftHeadsParts } from "./draft/draft-heads.ts";
import type { DrafterParts } from "./draft/open-drafter.ts";
import { quantisedGraphs } from "./quantised/engine.ts";
import type { Frozen } from "./quantised/frozen.ts";
import type { RoughCopies } from "./quantised/rough-copy.ts";
import { checkCacheKind, refuseSparse, type AttentionKind, type CacheKind } from "./quantised/kinds.ts";
import { sparseFor, type SparseOptions } from "./quantised/two-level.ts";
import { createSampler } from "./sampler.ts";
import type { Decoded, OpenOptions } from "./sampler-options.ts";
import { scoreRows, topTokens, type ScorerOptions } from "./scorer.ts";
import type { StatisticsShape } from "./statistics-graph.ts";
import { refuseQuantised, tokenVector, type Weights } from "./weights.ts";
import { wholeGraphs, type Graphs } from "./whole-graphs.ts";

export interface LocalOptions extends ProgramOptions, DraftChoice {
  /**
   * Copies of the model that share the work, each on a thread with a core of its own: whole conversations when sampling,
   * whole micro-batches when scoring and learning. Results are the same for every number, 1 included. Meant for small
   * models; a large one uses `threads` well. Default: none, one copy on the threads that the runtime takes.
   */
  readonly cores?: number;
  /** Tokens per micro-batch when scoring and learning. Default: 2,048; 1,024 with `cores`. */
  readonly budgetTokens?: number;
  /** Conversations per decoding step. Default: 64. */
  readonly maxRows?: number;
  readonly name?: string;
  /**
   * How keys and values of what conversations have read are kept. "float16" takes half of the memory; log-probabilities of sampled tokens
   * then differ from scored ones in the third or fourth digit, and a step is slower. Default: "float32".
   */
  readonly cache?: CacheKind;
  /**
   * Attention while sampling, in a model with quantised weights: "two-level" scores a quarter of the keys of contexts from 256
   * tokens on, block by block, or as the limits say. Sampled log-probabilities then differ a little from scored ones. Default: "full".
   */
  readonly attention?: AttentionKind | SparseOptions;
  /** Whether scoring and learning compute shared beginnings once. Default: where it pays. */
  readonly packing?: Packing;
  /** The opened draft model; `draftModel` names one in a folder. */
  readonly drafter?: DrafterParts;
  /** Draft heads, for `draft` "heads" and "auto"; `openModel` finds those that lie beside the model. */
  readonly draftHeads?: DraftHeadsParts;
  /** What learns in the place of the weights, which then stay as they are. */
  readonly adapter?: Adapter | ((config: ModelConfig) => Adapter);
}

export interface LocalPolicy extends Policy, WholeScorer, Omit<Learner, "save" | "load"> {
  readonly config: ModelConfig;
  readonly weights: Weights;
  readonly adapter: Adapter | undefined;
  readonly core: LearnerCore;
  /** Heads that guess, where there are some. */
  readonly draftHeads: DraftHeadsParts | undefined;
  open(options?: OpenOptions): Conversation;
  /** What sampling has cost so far. */
  readonly decoded: Decoded;
  /** The last hidden states that the asked tokens of each row were predicted from, one after the other. */
  states(rows: readonly ScoreRow[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** Scores with other weights of the same form (a frozen start, a running average) by the same compiled graphs. */
  scorerWith(weights: Weights): WholeScorer;
  /** To be called when weights were replaced from outside: what conversations have read is read again. */
  replaced(version: number): void;
}

/** What the weights have been through: conversations watch the count of changes, which only grows; a loaded checkpoint may bring back an old version. */
interface Changes {
  count: number;
  replacements: number;
  /** From the count to the version. */
  shift: number;
}

interface Parts {
  /** The configuration of the graphs. */
  readonly form: ModelConfig;
  readonly weights: Weights;
  readonly adapter: Adapter | undefined;
  readonly changes: Changes;
  readonly options: LocalOptions;
  /** The same with the threads that graphs run on. */
  readonly running: LocalOptions;
}

/** Everything but the files: a configuration and weights become a policy. */
export function createLocalPolicy(config: ModelConfig, weights: Weights, options: LocalOptions = {}): LocalPolicy {
  checkOptions("a local policy", options, LOCAL_CHECKS);
  const changes: Changes = { count: 0, replacements: 0, shift: 0 };
  const adapter = typeof options.adapter === "function" ? options.adapter(config) : options.adapter;
  if (adapter !== undefined) checkAdapter(config, adapter);
  const form = formWith(config, weights, adapter, options);
  const running = { ...options, ...withoutUndefined({ threads: options.threads ?? (options.cores && 1) }) };
  const graphs = graphsOf(form, weights, running);
  const parts: Parts = { form, weights, adapter, changes, options, running };
  const cores = coresOf(parts);
  const engine = engineOf(parts, graphs, cores);
  const { core } = engine;
  // Of a draft model; nothing is built where there is none.
  const drafts = createPrograms(options);
  // Copies of the model and quantised weights keep none: there the context is read again.
  const memory = cores === undefined && weights.frozen === undefined ? createStateMemory() : undefined;
  const sampler = createSampler({
    ...options,
    ...drafterAtWork(config, weights, options, drafts),
    config: form,
    weights: engine.scoring.weights,
    version: () => changes.count,
    versionName: (count) => count + changes.shift,
    ...withoutUndefined({ threads: running.threads, memory }),
    program: (shape) => graphs.decode(shape),
  });
  const policyRef = (): PolicyRef => ({ name: options.name ?? "local", version: changes.count + changes.shift });
  const rough = weights.frozen === undefined ? createRough(config, parts, policyRef) : undefined;
  return {
    config,
    weights,
    adapter,
    core,
    draftHeads: options.draftHeads,
    statistics: engine.statistics,
    get ref() {
      return policyRef();
    },
    open: (conversation) => (cores ?? sampler).open(conversation),
    get decoded() {
      const made = cores === undefined ? graphs.made && { ...graphs.made } : undefined;
      return { ...(cores ?? sampler).decoded, ...withoutUndefined({ attention: graphs.attention, made }) };
    },
    ...withoutUndefined({ keptStates: memory, rough: rough?.copy }),
    embedding: (id) => tokenVector(config, weights, id),
    score: (rows, scoreOptions) => scoreRows(engine.scoring, rows, scoreOptions),
    topTokens: (rows, topOptions) => topTokens(engine.scoring, rows, topOptions),
    states: async (rows, signal) => {
      refuseQuantised(weights, "There are no hidden states", "Open the model with weights float32.");
      const program = (shape: StatisticsShape): ReturnType<Graphs["score"]> =>
        drafts.get(`states ${JSON.stringify(shape)}`, () => statesGraph(form, shape));
      return await hiddenStates({ ...engine.scoring, program }, rows, signal);
    },
    scorerWith: (other) => {
      refuseOtherWeights(other, weights, adapter);
      return engine.scorerWith(other);
    },
    backward: (rows, objective, backwardOptions) => core.backward(rows, objective, backwardOptions),
    step: async (stepOptions) => {
      const report = await core.step(stepOptions);
      changes.count += 1;
      memory?.clear();
      return report;
    },
    discard: () => core.discard(),
    replaced: (version) => {
      memory?.clear();
      core.state.reach = undefined;
      changes.count += 1;
      changes.replacements += 1;
      changes.shift = version - changes.count;
    },
    close: async () => {
      await sampler.rest();
      await Promise.all([graphs.close(), drafts.close(), cores?.close(), rough?.close()]);
    },
  };
}

/** The configuration of the graphs: with the adapter, and how matrices and the cache are kept. */
function formWith(
  config: ModelConfig,
  { frozen }: Weights,
  adapter: Adapter | undefined,
  { cache, attention }: LocalOptions,
): ModelConfig {
  checkCacheKind(cache);
  if (frozen === undefined) refuseSparse(attention);
  return {
    ...config,
    ...(adapter === undefined ? {} : { lora: adapter.lora }),
    ...(frozen === undefined ? {} : { quantised: true }),
    ...(cache === "float16" ? { halfCache: true } : {}),
  };
}

function graphsOf(form: ModelConfig, { frozen }: Weights, options: LocalOptions): Graphs {
  if (frozen === undefined) return wholeGraphs(form, options);
  return quantisedGraphs(form, frozen as Frozen, options, sparseFor(options.attention, form));
}

/** The copies of the model that share the work; undefined where it computes by itself. */
function coresOf({ form, weights, adapter, changes, running }: Parts): Cores | undefined {
  const { cores: count } = running;
  if (count === undefined) return undefined;
  checkCores(count, weights, running);
  if (count === 1) return undefined;
  const places = { places: weights.places, adapterPlaces: adapter?.weights.places };
  return createCores({
    count,
    setup: { config: form, ...places, options: plain(running) },
    weights,
    adapter: adapter?.weights,
    changes: () => changes.count,
    replacements: () => changes.replacements,
    version: () => changes.count + changes.shift,
  });
}

interface Engine {
  readonly statistics: readonly StatisticName[];
  readonly scoring: ScorerOptions;
  /** Scores with other weights, on whichever threads share the work. */
  readonly scorerWith: (other: Weights) => WholeScorer;
  readonly core: LearnerCore;
}

/** Scoring and learning, here or on the copies of the model. */
function engineOf({ form, weights, adapter, running }: Parts, graphs: Graphs, cores: Cores | undefined): Engine {
  const views = { ...weights.views, ...adapter?.weights.views };
  const statistics = ["logprob", "candidates", "entropy", "divergence", ...headsIn(views)] as const;
  const away = (set: number): Partial<ScorerOptions> =>
    cores === undefined ? {} : { away: (shape, feeds) => scoredBy(cores, { set, shape, feeds }) };
  const scoring: ScorerOptions = {
    config: form,
    weights: views,
    budgetTokens: running.budgetTokens ?? (running.cores === undefined ? 2_048 : 1_024),
    packing: running.packing,
    // Twice as many: one that takes long must not keep the others waiting.
    atOnce: cores === undefined ? 1 : 2 * cores.count,
    program: (shape) => graphs.score(shape),
    ...away(BASE),
  };
  const core = new LearnerCore({
    ...scoring,
    all: adapter?.weights ?? weights,
    statistics,
    backwardProgram: (shape) => graphs.backward(shape),
    backwardAway:
      cores &&
      (async (shape, feeds, gradient) => {
        await cores.renew();
        return await cores.run({ graph: "backward", set: BASE, shape, feeds, gradient });
      }),
  });
  const scoringWith = async (other: Weights): Promise<ScorerOptions> =>
    cores === undefined ? { ...scoring, weights: other.views } : { ...scoring, ...away(await cores.lend(other)) };
  return {
    statistics,
    scoring,
    scorerWith: (other) => ({
      statistics,
      score: async (rows, scoreOptions) => await scoreRows(await scoringWith(other), rows, scoreOptions),
      topTokens: async (rows, topOptions) => await topTokens(await scoringWith(other), rows, topOptions),
    }),
    core,
  };
}

/** The opened draft model and heads with the programs that they guess by. */
function drafterAtWork(
  config: ModelConfig,
  weights: Weights,
  { drafter, draftHeads }: LocalOptions,
  drafts: Programs,
): Required<Pick<DraftingOptions, "drafter" | "draftHeads">> {
  if (draftHeads !== undefined)
    refuseQuantised(weights, "Draft heads cannot guess", "Open the model with weights float32.");
  return {
    drafter: drafter && {
      config: drafter.config,
      weights: drafter.weights.views,
      program: (shape) => drafts.get(`draft ${JSON.stringify(shape)}`, () => decodeGraph(drafter.config, shape)),
    },
    draftHeads: draftHeads && {
      weights: draftHeads.weights.views,
      program: (rows) => drafts.get(`heads ${rows}`, () => guessGraph(config, rows, draftHeads.inner)),
    },
  };
}

/** Copies in eight bits, made when they are first asked for. */
function createRough(config: ModelConfig, { weights, adapter, changes, options }: Parts, ref: () => PolicyRef) {
  let copies: Promise<RoughCopies> | undefined;
  return {
    copy: async () => {
      const { createRoughCopies, roughWeights } = await import("./quantised/rough-copy.ts");
      copies ??= Promise.resolve(createRoughCopies());
      return (await copies).of(changes.count, () => {
        const { version = 0, name } = ref();
        const { providers, threads, maxRows } = options;
        const own = withoutUndefined({ providers, threads, maxRows, adapter });
        const made = createLocalPolicy(config, roughWeights(config, weights), { ...own, name: `${name} in 8 bits` });
        made.replaced(version);
        return made;
      });
    },
    close: async () => await (await copies)?.close(),
  };
}

function refuseOtherWeights(other: Weights, weights: Weights, adapter: Adapter | undefined): void {
  if (other.flat.length === weights.flat.length && adapter === undefined) return;
  throw new EngineError(
    "bad-weights",
    adapter === undefined
      ? `The weights to score with have ${other.flat.length} numbers; those of this model ${weights.flat.length}.`
      : "Scoring with other weights is for models without an adapter; open the other weights as a model of their own.",
  );
}

type Feeds = Record<string, TensorData>;

async function scoredBy(cores: Cores, work: Omit<GraphRun, "graph">): Promise<Feeds> {
  await cores.renew();
  return (await cores.run({ graph: "score", ...work })).outputs;
}

function checkCores(count: number, weights: Weights, { draft, drafter }: LocalOptions): void {
  refuseQuantised(weights, `There are no ${count} copies of it (cores)`, "Use threads, or weights float32.");
  if (draft === "model" || draft === "heads" || drafter !== undefined) {
    throw new EngineError(
      "needs-unmet",
      `The ${count} copies of the model (cores) have neither a draft model (--draft model) nor draft heads (--draft heads). Use --draft ngram or auto, or leave cores out.`,
    );
  }
}

/** Only what can be sent to a thread. */
function plain({ providers, threads, draft, draftTree, draftNodes, maxRows }: LocalOptions): CoreSetup["options"] {
  return withoutUndefined({ providers, threads, draft, draftTree, draftNodes, maxRows });
}

// What a local policy demands of the numbers among its options.

/** More than any machine here has; each takes the memory of a model. */
const MOST_CORES = 256;

export const LOCAL_CHECKS = {
  threads: may.count,
  cores: { ...may.count, most: MOST_CORES },
  budgetTokens: may.count,
  maxRows: may.count,
} as const;
