/**
 * Two policies as one: each token is drawn from the base's distribution times the guide's, as GenARM decodes with an
 * autoregressive reward model (arXiv 2410.08193).
 *
 *   q(y_t | y_<t) = base(y_t | y_<t) * guide(y_t | y_<t)^(1 / beta) / Z_t(y_<t)
 *
 * A guide that is proportional to exp(reward) makes base * guide^(1 / beta) over whole responses the optimum of reward minus
 * beta times the divergence from the base. Token by token that is drawn with the weight of the Z_t left out; several draws
 * of which one is kept in proportion to the product of its Z_t put it back.
 */
import { createRng, drawWeighted, type Rng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { checkSampleOptions, refuseBusy } from "./conversation-guards.ts";
import { createResponse } from "./local/response.ts";
import { type Conversation, type Policy, type Sampled, type SampleOptions, COLDEST } from "./policy.ts";

export interface ProductOptions {
  /** What the guide's log-probabilities are divided by: small ones follow it, large ones the base. Default: 1. */
  readonly beta?: number;
  /** Responses that are drawn, of which one is kept in proportion to its weight. Default: 1, as the paper decodes. */
  readonly draws?: number;
  /** Called with the number of tokens of each response. */
  readonly onDrawn?: (tokens: number) => void;
}

/** The base, led by the guide. Both must have the same tokens. */
export function createProductPolicy(base: Policy, guide: Policy, options: ProductOptions = {}): Policy {
  const { beta = 1, draws = 1, onDrawn } = options;
  if (!(beta > 0)) throw new EngineError("bad-option", `beta is ${beta}; it must be a number above 0.`);
  if (!(Number.isInteger(draws) && draws >= 1)) {
    throw new EngineError("bad-option", `draws is ${draws}; it must be a whole number of at least 1.`);
  }
  return {
    get ref() {
      return { ...base.ref, name: `${base.ref.name} led by ${guide.ref.name}` };
    },
    ...(base.concurrency === undefined ? {} : { concurrency: base.concurrency }),
    open: ({ seed = 0 } = {}) => converse({ base: base.open({ seed }), guide: guide.open({ seed }) }, createRng(seed)),
    close: async () => void (await Promise.all([base.close(), guide.close()])),
  };

  function converse({ base: own, guide: leading }: Pair, rng: Rng): Conversation {
    const state = { busy: false, closed: false };
    const fork = (label: string | number): Pair => ({ base: own.fork(label), guide: leading.fork(label) });
    const draw = async (sampleOptions: SampleOptions): Promise<Sampled> => {
      const version = base.ref.version ?? 0;
      if (draws === 1)
        return (await drawn({ base: own, guide: leading }, { beta, version, rng }, sampleOptions)).response;
      const several: Drawn[] = [];
      for (let at = 0; at < draws; at += 1) {
        const pair = fork(`draw ${at}`);
        several.push(await drawn(pair, { beta, version, rng }, sampleOptions));
        for (const one of [pair.base, pair.guide]) one.close();
      }
      const largest = Math.max(...several.map(({ logWeight }) => logWeight));
      const weighed = several.map((one) => [one, Math.exp(one.logWeight - largest)] as const);
      const kept = drawWeighted(weighed, rng) as Drawn;
      for (const one of [own, leading]) one.extend(kept.response.ids);
      // The chance of what was kept of several is not known.
      return { ...kept.response, sampledLogprobs: new Float32Array() };
    };
    return {
      get tokens() {
        return own.tokens;
      },
      extend: (ids) => {
        refuseBusy(state);
        for (const one of [own, leading]) one.extend(ids);
      },
      sample: async (sampleOptions) => {
        refuseBusy(state);
        checkSampleOptions(sampleOptions);
        state.busy = true;
        try {
          const drawn = await draw(sampleOptions);
          onDrawn?.(drawn.ids.length);
          return drawn;
        } finally {
          state.busy = false;
        }
      },
      fork: (label) => {
        refuseBusy(state);
        return converse(fork(label), rng.split(label));
      },
      close: () => {
        state.closed = true;
        for (const one of [own, leading]) one.close();
      },
    };
  }
}

interface Pair {
  readonly base: Conversation;
  readonly guide: Conversation;
}

interface Drawn {
  readonly response: Sampled;
  /** Sum of log Z_t. */
  readonly logWeight: number;
}

async function drawn(
  { base, guide }: Pair,
  { beta, version, rng }: { readonly beta: number; readonly version: number; readonly rng: Rng },
  options: SampleOptions,
): Promise<Drawn> {
  const response = createResponse(options);
  let logWeight = 0;
  for (let tokens = 0; ; tokens += 1) {
    const both = await peekBoth(base, guide, options.signal).catch((error: unknown) => {
      if (tokens > 0 && error instanceof EngineError && error.code === "past-context") return undefined;
      throw error;
    });
    if (both === undefined) return { response: response.finish(version, "context"), logWeight };
    const { logprobs, logSum } = product(both[0], both[1], beta);
    logWeight += logSum;
    const temperature = options.temperature ?? 1;
    const ending = response.take({ logprobs, probabilities: tempered(logprobs, temperature) }, rng.float());
    for (const one of [base, guide]) one.extend([response.last()]);
    if (ending !== undefined) return { response: response.finish(version, ending), logWeight };
  }
}

async function peekBoth(
  base: Conversation,
  guide: Conversation,
  signal: AbortSignal | undefined,
): Promise<readonly [Float32Array, Float32Array]> {
  if (base.peek === undefined || guide.peek === undefined) {
    throw new EngineError(
      "needs-unmet",
      "Drawing from two policies needs every token's chance, which one of them does not tell. Use models of this process, without cores.",
    );
  }
  const [own, leading] = await Promise.all([base.peek(signal), guide.peek(signal)]);
  if (own.length === leading.length) return [own, leading];
  throw new EngineError(
    "bad-option",
    `The base has ${own.length} tokens and its guide ${leading.length}; they must be the same ones.`,
  );
}

/** Log-probabilities of base * guide^(1 / beta), and the logarithm of what they were divided by. */
function product(
  base: Float32Array,
  guide: Float32Array,
  beta: number,
): { readonly logprobs: Float32Array; readonly logSum: number } {
  const both = Float64Array.from(base, (value, id) =>
    value === -Infinity ? -Infinity : value + (guide[id] as number) / beta,
  );
  const largest = both.reduce((left, right) => Math.max(left, right), -Infinity);
  const logSum = largest + Math.log(both.reduce((sum, value) => sum + Math.exp(value - largest), 0));
  if (Number.isFinite(logSum)) return { logprobs: Float32Array.from(both, (value) => value - logSum), logSum };
  throw new EngineError("bad-logits", "The base and its guide have no token in common that both could say next.");
}

function tempered(logprobs: Float32Array, temperature: number): Float32Array {
  if (temperature === 1) return logprobs.map(Math.exp);
  if (temperature < COLDEST) return logprobs;
  const largest = logprobs.reduce((left, right) => Math.max(left, right), -Infinity);
  const weights = logprobs.map((value) => Math.exp((value - largest) / temperature));
  const sum = weights.reduce((left, right) => left + right, 0);
  return weights.map((weight) => weight / sum);
}
