/** A language model in this process that samples, scores and learns. */
import { checkOptions } from "../../base/options.ts";
import { EngineError } from "../../base/errors.ts";
import { withoutUndefined } from "../../base/fields.ts";
import type { ProgramOptions, TensorData } from "../../graph/index.ts";
import type { PolicyRef } from "../../trajectory/index.ts";
import type { StatisticName } from "../objective.ts";
import type { Conversation, Learner, Policy, ScoreRow, WholeScorer } from "../policy.ts";
import { decodeGraph } from "./decode-graph.ts";
import { createCores, type Cores } from "./cores/cores.ts";
import { BASE, type CoreSetup, type GraphRun } from "./cores/messages.ts";
import { headsIn } from "./heads.ts";
import { createSaidMemory, hiddenStates, statesGraph } from "./hidden-states.ts";
import type { Packing } from "./layout.ts";
import { createLearner, type LearnerCore } from "./learner.ts";
import { checkAdapter, type Adapter } from "./lora.ts";
import type { ModelConfig } from "./model-config.ts";
import { createPrograms } from "./programs.ts";
import type { DraftChoice } from "./draft/kinds.ts";
import type { DraftHeadsParts } from "./draft/heads-files.ts";
import { guessGraph } from "./draft/heads-graph.ts";
import type { DrafterParts } from "./draft/open-drafter.ts";
import type { DraftModel } from "./draft/model-drafter.ts";
import { quantisedGraphs } from "./quantised/engine.ts";
import type { Frozen } from "./quantised/frozen-parts.ts";
import type { RoughCopies } from "./quantised/rough-copy.ts";
import { checkCacheKind, refuseSparse, type AttentionKind, type CacheKind } from "./quantised/kinds.ts";
import { sparseFor, type SparseOptions } from "./quantised/sparse-attention.ts";
import { createSampler } from "./sampler.ts";
import type { Decoded, OpenOptions } from "./sampler-options.ts";
import { LOCAL_CHECKS } from "./local-checks.ts";
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
   * How words look back while they are said, in a model with quantised weights: "two-level" scores a quarter of the keys of contexts from 256
   * tokens on, block by block, or as the limits say. What is said then differs a little from what scoring says. Default: "full".
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

/** Everything but the files: a configuration and weights become a policy. */
export function createLocalPolicy(config: ModelConfig, weights: Weights, options: LocalOptions = {}): LocalPolicy {
  checkOptions("a local policy", options, LOCAL_CHECKS);
  // Conversations watch the count of changes, which only grows; a loaded checkpoint may bring back an old version.
  let changes = 0;
  let shift = 0;
  let replacements = 0;
  const adapter = typeof options.adapter === "function" ? options.adapter(config) : options.adapter;
  if (adapter !== undefined) checkAdapter(config, adapter);
  checkCacheKind(options.cache);
  const { frozen } = weights;
  const form = {
    ...config,
    ...(adapter === undefined ? {} : { lora: adapter.lora }),
    ...(frozen === undefined ? {} : { quantised: true }),
    ...(options.cache === "float16" ? { halfCache: true } : {}),
  };
  const { cores: count } = options;
  const threads = options.threads ?? (count === undefined ? undefined : 1);
  const running = { ...options, ...withoutUndefined({ threads }) };
  if (frozen === undefined) refuseSparse(options.attention);
  const graphs =
    frozen === undefined
      ? wholeGraphs(form, running)
      : quantisedGraphs(form, frozen as Frozen, running, sparseFor(options.attention, form));
  const views = { ...weights.views, ...adapter?.weights.views };
  const statistics: readonly StatisticName[] = ["logprob", "candidates", "entropy", "divergence", ...headsIn(views)];
  if (count !== undefined) checkCores(count, weights, options);
  const cores =
    count === undefined || count === 1
      ? undefined
      : createCores({
          count,
          setup: {
            config: form,
            places: weights.places,
            adapterPlaces: adapter?.weights.places,
            options: plain(running),
          },
          weights,
          adapter: adapter?.weights,
          changes: () => changes,
          replacements: () => replacements,
          version: () => changes + shift,
        });
  const here = {
    config: form,
    weights: views,
    budgetTokens: options.budgetTokens ?? (count === undefined ? 2_048 : 1_024),
    packing: options.packing,
  };
  const engine = {
    ...here,
    // Twice as many: one that takes long must not keep the others waiting.
    atOnce: cores === undefined ? 1 : 2 * cores.count,
    program: (shape: StatisticsShape) => graphs.score(shape),
    ...(cores === undefined
      ? {}
      : { away: (shape: StatisticsShape, feeds: Feeds) => scoredBy(cores, { set: BASE, shape, feeds }) }),
  };
  const core = createLearner({
    ...engine,
    all: adapter?.weights ?? weights,
    statistics,
    backwardProgram: (shape) => graphs.backward(shape),
    backwardAway:
      cores === undefined
        ? undefined
        : async (shape, feeds, gradient) => {
            await cores.renew();
            return await cores.run({ graph: "backward", set: BASE, shape, feeds, gradient });
          },
  });
  /** The same with other weights, on whichever threads share the work. */
  const scorerOf = async (other: Weights): Promise<ScorerOptions> => {
    if (cores === undefined) return { ...engine, weights: other.views };
    const set = await cores.lend(other);
    return { ...engine, away: (shape, feeds) => scoredBy(cores, { set, shape, feeds }) };
  };
  // Of a draft model; nothing is built where there is none.
  const drafts = createPrograms(options);
  const draftModel = ({ config: small, weights: own }: DrafterParts): DraftModel => ({
    config: small,
    weights: own.views,
    program: (shape) => drafts.get(`draft ${JSON.stringify(shape)}`, () => decodeGraph(small, shape)),
  });
  const { draftHeads } = options;
  if (draftHeads !== undefined)
    refuseQuantised(weights, "Draft heads cannot guess", "Open the model with weights float32.");
  // Copies of the model and quantised weights keep none: whoever wants them reads the context again.
  const said = cores === undefined && frozen === undefined ? createSaidMemory() : undefined;
  const sampler = createSampler({
    config: form,
    weights: views,
    version: () => changes,
    versionName: (count) => count + shift,
    ...(options.maxRows === undefined ? {} : { maxRows: options.maxRows }),
    ...withoutUndefined({ threads, said }),
    draft: options.draft,
    draftTree: options.draftTree,
    draftNodes: options.draftNodes,
    draftContext: options.draftContext,
    drafter: options.drafter === undefined ? undefined : draftModel(options.drafter),
    draftHeads: draftHeads && {
      weights: draftHeads.weights.views,
      program: (rows) => drafts.get(`heads ${rows}`, () => guessGraph(config, rows, draftHeads.inner)),
    },
    program: (shape) => graphs.decode(shape),
  });
  const policyRef = (): PolicyRef => ({ name: options.name ?? "local", version: changes + shift });
  let rough: Promise<RoughCopies> | undefined;
  const statesProgram = (shape: StatisticsShape): ReturnType<Graphs["score"]> =>
    drafts.get(`states ${JSON.stringify(shape)}`, () => statesGraph(form, shape));
  return {
    config,
    weights,
    adapter,
    core,
    draftHeads,
    statistics,
    get ref() {
      return policyRef();
    },
    open: (conversation) => (cores ?? sampler).open(conversation),
    get decoded() {
      const made = cores === undefined ? graphs.made && { ...graphs.made } : undefined;
      return { ...(cores ?? sampler).decoded, ...withoutUndefined({ attention: graphs.attention, made }) };
    },
    ...withoutUndefined({ said }),
    embedding: (id) => tokenVector(config, weights, id),
    score: (rows, scoreOptions) => scoreRows(engine, rows, scoreOptions),
    topTokens: (rows, topOptions) => topTokens(engine, rows, topOptions),
    states: async (rows, signal) => {
      refuseQuantised(weights, "There are no hidden states", "Open the model with weights float32.");
      return await hiddenStates({ ...here, program: statesProgram }, rows, signal);
    },
    ...(frozen === undefined
      ? {
          rough: async () => {
            const { createRoughCopies, roughWeights } = await import("./quantised/rough-copy.ts");
            const copies = await (rough ??= Promise.resolve(createRoughCopies()));
            const { version = 0, name } = policyRef();
            return copies.of(changes, () => {
              const own = { providers: options.providers, threads: options.threads, maxRows: options.maxRows };
              const copied = { ...withoutUndefined(own), name: `${name} in 8 bits`, ...withoutUndefined({ adapter }) };
              const made = createLocalPolicy(config, roughWeights(config, weights), copied);
              made.replaced(version);
              return made;
            });
          },
        }
      : {}),
    scorerWith: (other) => {
      if (other.flat.length !== weights.flat.length || adapter !== undefined) {
        throw new EngineError(
          "bad-weights",
          adapter === undefined
            ? `The weights to score with have ${other.flat.length} numbers; those of this model ${weights.flat.length}.`
            : "Scoring with other weights is for models without an adapter; open the other weights as a model of their own.",
        );
      }
      return {
        statistics,
        score: async (rows, scoreOptions) => await scoreRows(await scorerOf(other), rows, scoreOptions),
        topTokens: async (rows, topOptions) => await topTokens(await scorerOf(other), rows, topOptions),
      };
    },
    backward: (rows, objective, backwardOptions) => core.backward(rows, objective, backwardOptions),
    step: async (stepOptions) => {
      const report = await core.step(stepOptions);
      changes += 1;
      said?.clear();
      return report;
    },
    discard: () => core.discard(),
    replaced: (version) => {
      said?.clear();
      core.state.reach = undefined;
      changes += 1;
      replacements += 1;
      shift = version - changes;
    },
    close: async () => {
      await sampler.rest();
      await Promise.all([graphs.close(), drafts.close(), cores?.close(), rough?.then((copies) => copies.close())]);
    },
  };
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
