/**
 * Copies of a model in eight bits that sample for it while it explores (Sol-RL): made from the weights of the moment, one for each
 * version, and closed once no conversation uses them any more.
 */
import type { Conversation, Policy } from "../../policy.ts";
import { parameterShapes, type ModelConfig } from "../model-config.ts";
import { createSmallWeights, type Weights } from "../weights.ts";
import { createFrozen } from "./frozen.ts";
import { createMatrix, quantiseRows, type QuantisedMatrix } from "./matrix.ts";

/** The weights with every matrix in eight bits; what is no matrix is copied as it is. */
export function roughWeights(config: ModelConfig, weights: Weights): Weights {
  const shapes = parameterShapes(config);
  const matrices = new Map<string, QuantisedMatrix>();
  for (const [name, shape] of shapes) {
    if (shape.length !== 2) continue;
    const matrix = createMatrix(name, shape, 8);
    quantiseRows(matrix, 0, weights.views[name] as Float32Array);
    matrices.set(name, matrix);
  }
  const small = createSmallWeights(config, new Map(), createFrozen(matrices, 8));
  for (const [name, view] of Object.entries(small.views)) view.set(weights.views[name] as Float32Array);
  return small;
}

interface Copy {
  readonly version: number;
  readonly policy: Policy;
  readonly shown: Policy;
  users: number;
}

export type RoughCopies = ReturnType<typeof createRoughCopies>;

/** An earlier copy lives as long as a conversation uses it: weights may change in the middle of an episode. */
export function createRoughCopies() {
  let newest: Copy | undefined;
  let closing: Promise<unknown> = Promise.resolve();
  const living = new Set<Copy>();
  const end = (copy: Copy): void => {
    if (living.delete(copy)) closing = Promise.all([closing, copy.policy.close()]);
  };
  const retire = (copy: Copy): void => {
    if (copy !== newest && copy.users === 0) end(copy);
  };
  const counted = (copy: Copy, inner: Conversation): Conversation => {
    copy.users += 1;
    let open = true;
    return {
      get tokens() {
        return inner.tokens;
      },
      extend: (ids) => inner.extend(ids),
      sample: (options) => inner.sample(options),
      fork: (label) => counted(copy, inner.fork(label)),
      close: () => {
        inner.close();
        if (!open) return;
        open = false;
        copy.users -= 1;
        retire(copy);
      },
    };
  };
  return {
    /** The copy of this version; `make` is asked where there is none yet. */
    of: (version: number, make: () => Policy): Policy => {
      if (newest?.version === version) return newest.shown;
      const policy = make();
      const { ref, concurrency } = policy;
      const copy: Copy = {
        version,
        policy,
        shown: {
          ref,
          ...(concurrency === undefined ? {} : { concurrency }),
          open: (options) => counted(copy, policy.open(options)),
          close: () => Promise.resolve(),
        },
        users: 0,
      };
      const before = newest;
      newest = copy;
      living.add(copy);
      if (before !== undefined) retire(before);
      return copy.shown;
    },
    close: async (): Promise<void> => {
      newest = undefined;
      for (const copy of living) end(copy);
      await closing;
    },
  };
}
