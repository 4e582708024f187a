/** A model that is led by another: what it says is drawn from both. */
import { withoutUndefined } from "limbeck-base/base/fields";
import type { Policy } from "limbeck-policy/policy/policy";

export interface GuideChoice {
  /** Folder of a reward of tokens: a model with the same tokens, or an adapter. */
  readonly folder: string;
  /** What its log-probabilities are divided by. Default: 1. */
  readonly beta?: number | undefined;
  /** Answers that are drawn, of which one is kept by its weight. Default: 1. */
  readonly draws?: number | undefined;
}

export interface LedPolicy {
  readonly policy: Policy;
  /** Tokens that were drawn from both. */
  readonly tokens: () => number;
  /** Closes the guide; the model is its owner's. */
  close(): Promise<void>;
}

export async function ledBy(
  model: Policy,
  { folder, beta, draws }: GuideChoice,
  options: { readonly threads?: number | undefined },
): Promise<LedPolicy> {
  const { openModel } = await import("limbeck-policy/policy/local/open-model");
  const { createProductPolicy } = await import("limbeck-policy/policy/product-policy");
  const guide = await openModel(folder, withoutUndefined(options));
  let tokens = 0;
  const counted = (said: number): void => {
    tokens += said;
  };
  const policy = createProductPolicy(model, guide, { ...withoutUndefined({ beta, draws }), onDrawn: counted });
  return { policy, tokens: () => tokens, close: () => guide.close() };
}
