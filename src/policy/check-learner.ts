/** Checks that a policy which learns keeps the contract of `policy.ts`: the loss falls, and files change nothing. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorCode } from "../base/index.ts";
import { expectSame, fail, prompts, type CheckedPolicy, type PolicyCheckOptions } from "./check.ts";
import type { Objective, TrainRow } from "./objective.ts";
import type { Learner, Scorer } from "./policy.ts";

type LearningPolicy = CheckedPolicy & Scorer & Learner;

/** Mean of minus the log-probability of every token but the first. */
const nextToken: Objective = {
  needs: ["logprob"],
  compute: ({ logprob = [] }) => {
    const count = logprob.reduce((total, row) => total + row.length - 1, 0);
    const weights = logprob.map((row) => row.map((_, at) => (at === 0 ? 0 : -1 / count)));
    const loss = logprob.reduce((total, row) => total - row.reduce((sum, value) => sum + value, 0) / count, 0);
    return { loss, weights: { logprob: weights } };
  },
};

/** A few rows learned again and again: their loss falls, and the version tells that the policy has changed. */
export async function checkLossFalls(policy: CheckedPolicy, options: PolicyCheckOptions): Promise<void> {
  const learner = learning(policy);
  const before = policy.ref.version;
  const losses = await train(learner, options, options.updates ?? 12);
  const [first, last] = [losses[0] as number, losses.at(-1) as number];
  if (!(last < first)) fail(policy, `The loss went from ${first} to ${last} in ${losses.length} updates.`);
  if (before !== undefined && policy.ref.version === before)
    fail(policy, `Its version is still ${before} after updates.`);
}

/** Gradients that were discarded do not move anything. */
export async function checkDiscard(policy: CheckedPolicy, options: PolicyCheckOptions): Promise<void> {
  const learner = learning(policy);
  const before = await scores(learner, options);
  await learner.backward(rowsOf(options), nextToken);
  learner.discard();
  await learner.step({ learningRate: rateOf(options) });
  expectSame(policy, "The policy after a step without gradients", await scores(learner, options), before);
}

/** An objective that answers with the wrong length is refused, and nothing has changed. */
export async function checkBadObjective(policy: CheckedPolicy, options: PolicyCheckOptions): Promise<void> {
  const learner = learning(policy);
  const short: Objective = {
    needs: ["logprob"],
    compute: ({ logprob = [] }) => ({ loss: 0, weights: { logprob: logprob.map((row) => row.subarray(1)) } }),
  };
  const before = await scores(learner, options);
  const error: unknown = await learner.backward(rowsOf(options), short).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (errorCode(error) !== "bad-objective") {
    fail(policy, `Weights of the wrong length were not refused with "bad-objective" but gave ${String(error)}.`);
  }
  await learner.step({ learningRate: rateOf(options) });
  expectSame(policy, "The policy after a refused objective", await scores(learner, options), before);
}

/** What is loaded is what was saved, and training goes on as if nothing had happened. */
export async function checkSaveLoad(policy: CheckedPolicy, options: PolicyCheckOptions): Promise<void> {
  const learner = learning(policy);
  const folder = await mkdtemp(join(tmpdir(), "limbeck-contract-"));
  try {
    await train(learner, options, 2);
    await learner.save(join(folder, "saved"));
    const wanted = await scores(learner, options);
    const [version, onwards] = [policy.ref.version, await train(learner, options, 3)];
    const later = await scores(learner, options);
    await learner.load(join(folder, "saved"));
    expectSame(policy, "A loaded policy's scores", await scores(learner, options), wanted);
    expectSame(policy, "A loaded policy's version", policy.ref.version, version);
    expectSame(policy, "The losses of a resumed training", await train(learner, options, 3), onwards);
    expectSame(policy, "The scores of a resumed training", await scores(learner, options), later);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function learning(policy: CheckedPolicy): LearningPolicy {
  const names = ["score", "backward", "step", "discard", "save", "load"] as const;
  const missing = names.filter((name) => policy[name] === undefined);
  if (missing.length > 0) fail(policy, `It has no \`${missing.join("`, `")}\`, though its learning is to be checked.`);
  return policy as LearningPolicy;
}

async function train(learner: LearningPolicy, options: PolicyCheckOptions, updates: number): Promise<number[]> {
  const losses: number[] = [];
  for (let update = 0; update < updates; update += 1) {
    const { loss } = await learner.backward(rowsOf(options), nextToken);
    losses.push(loss);
    await learner.step({ learningRate: rateOf(options), clipNorm: 1, weightDecay: 0.01 });
  }
  return losses;
}

async function scores(learner: LearningPolicy, options: PolicyCheckOptions): Promise<unknown> {
  return (await learner.score(rowsOf(options))).map(({ logprob }) => [...(logprob ?? [])]);
}

function rowsOf(options: PolicyCheckOptions): TrainRow[] {
  return prompts(options)
    .filter((ids) => ids.length > 1)
    .map((ids) => ({ ids, mask: new Uint8Array(ids.length).fill(1) }));
}

function rateOf(options: PolicyCheckOptions): number {
  return options.learningRate ?? 1e-2;
}
