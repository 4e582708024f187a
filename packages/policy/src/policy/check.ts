/**
 * Checks that a policy keeps the contract of `policy.ts` when it samples and scores, for any test runner or none. Each
 * throws an EngineError "policy-contract" that names the policy and what differed.
 */
import { createRng } from "limbeck-base/base/rng";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import type { Conversation, Learner, Policy, Sampled, Scorer, TopTokens } from "./policy.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Objective, TrainRow } from "./objective.ts";

/** Scoring and learning are layers that a policy may lack. */
export type CheckedPolicy = Policy & Partial<Scorer> & Partial<Learner>;

export interface PolicyCheckOptions {
  readonly vocabularySize: number;
  /** Tokens per response. Default: 12. */
  readonly maxTokens?: number;
  /** Lengths of the prompts. Default: a mixture of short and long ones. */
  readonly promptLengths?: readonly number[];
  /** How far sampled and scored log-probabilities may lie apart. Default: 1e-4. */
  readonly tolerance?: number;
  /** How far log-probabilities may move with the company in a batch. Default: 0, not at all. */
  readonly batchTolerance?: number;
  readonly learningRate?: number;
  /** Updates in which the loss must fall. Default: 12. */
  readonly updates?: number;
  readonly seed?: number | string;
}

/** Log-probability of a token that was certain may come out a hair above zero. */
const ROUNDING = 1e-6;

export function fail(policy: Policy, what: string): never {
  throw new EngineError("policy-contract", `Policy "${policy.ref.name}" breaks the contract. ${what}`, {
    details: { policy: policy.ref.name },
  });
}

export function prompts(options: PolicyCheckOptions): Int32Array[] {
  const rng = createRng(options.seed ?? "policy contract").split("prompts");
  const lengths = options.promptLengths ?? [1, 5, 9, 17, 34, 40];
  return lengths.map((length) => Int32Array.from({ length }, () => rng.int(options.vocabularySize)));
}

/** A response has one id, two log-probabilities and a version per token, and the conversation holds it afterwards. */
export async function checkShape(policy: CheckedPolicy, options: PolicyCheckOptions): Promise<void> {
  const maxTokens = options.maxTokens ?? 12;
  for (const prompt of prompts(options)) {
    const talk = begin(policy, prompt, 1);
    const response = await talk.sample({ maxTokens });
    const { ids, logprobs, sampledLogprobs, ending } = response;
    // What was drawn from may be unknown: a server need not report it.
    const lengths = [ids.length, logprobs.length, sampledLogprobs.length || ids.length];
    if (new Set(lengths).size > 1) fail(policy, `A response has arrays of lengths ${lengths.join(", ")}.`);
    if (ids.length === 0 || ids.length > maxTokens) fail(policy, `maxTokens ${maxTokens} gave ${ids.length} tokens.`);
    if (ending === "length" && ids.length !== maxTokens) fail(policy, `"length" ended a response of ${ids.length}.`);
    const wrong = ids.findIndex((id) => !(id >= 0 && id < options.vocabularySize));
    if (wrong >= 0) fail(policy, `It said the token ${ids[wrong]}, which is not in its vocabulary.`);
    const bad = [...logprobs, ...sampledLogprobs].find((value) => !(Number.isFinite(value) && value <= ROUNDING));
    if (bad !== undefined) fail(policy, `A log-probability is ${bad}; it must be finite and not above 0.`);
    expectSame(policy, "A conversation's tokens", [...talk.tokens], [...prompt, ...ids]);
    talk.close();
  }
}

/** The same seed and turns give the same tokens and numbers. */
export async function checkSeeds(policy: CheckedPolicy, options: PolicyCheckOptions): Promise<void> {
  for (const [at, prompt] of prompts(options).entries()) {
    const first = await speak(policy, prompt, at, options);
    const second = await speak(policy, prompt, at, options);
    expectSame(policy, "A second conversation with the same seed", second, first);
  }
}

/** Alone, together, or in another order: a conversation says the same. */
export async function checkBatching(policy: CheckedPolicy, options: PolicyCheckOptions): Promise<void> {
  const all = prompts(options);
  const alone: Sampled[] = [];
  for (const [at, prompt] of all.entries()) alone.push(await say(policy, prompt, at, options));
  const together = await Promise.all(all.map((prompt, at) => say(policy, prompt, at, options)));
  const backwards = await Promise.all(
    all
      .map((prompt, at) => ({ prompt, at }))
      .reverse()
      .map(({ prompt, at }) => say(policy, prompt, at, options)),
  );
  backwards.reverse();
  const tolerance = options.batchTolerance ?? 0;
  for (const [name, others] of Object.entries({ together, backwards })) {
    for (const [at, other] of others.entries()) {
      const own = alone[at] as Sampled;
      expectSame(policy, `Conversation ${at}, sampled ${name},`, [...other.ids], [...own.ids]);
      expectClose(policy, `Conversation ${at}, sampled ${name},`, other.logprobs, own.logprobs, tolerance);
    }
  }
}

/** A fork and its original never influence each other. */
export async function checkFork(policy: CheckedPolicy, options: PolicyCheckOptions): Promise<void> {
  const maxTokens = options.maxTokens ?? 12;
  for (const prompt of prompts(options)) {
    const lone = begin(policy, prompt, "fork");
    await lone.sample({ maxTokens });
    const wanted = plain(await lone.sample({ maxTokens }));

    const original = begin(policy, prompt, "fork");
    await original.sample({ maxTokens });
    const [fork, twin] = [original.fork("a"), original.fork("a")];
    expectSame(policy, "A fresh fork's tokens", [...fork.tokens], [...original.tokens]);
    fork.extend(prompt);
    twin.extend(prompt);
    const [own, forked] = await Promise.all([original.sample({ maxTokens }), fork.sample({ maxTokens })]);
    expectSame(policy, "The original of a fork", plain(own), wanted);
    expectSame(policy, "The original's tokens", [...original.tokens], [...lone.tokens]);
    original.close();
    expectSame(
      policy,
      "A fork with the same label, after its original closed,",
      plain(await twin.sample({ maxTokens })),
      plain(forked),
    );
  }
}

/** Stop sequences end a response, an allowed set confines it. */
export async function checkLimits(policy: CheckedPolicy, options: PolicyCheckOptions): Promise<void> {
  const maxTokens = options.maxTokens ?? 12;
  const [prompt] = prompts(options) as [Int32Array];
  const free = await begin(policy, prompt, 3).sample({ maxTokens });
  const stop = free.ids.slice(0, 2);
  const stopped = await begin(policy, prompt, 3).sample({ maxTokens, stop: [stop] });
  if (stopped.ending !== "stop") fail(policy, `A stop sequence ended nothing: the ending is "${stopped.ending}".`);
  expectSame(policy, "A response up to its stop sequence", [...stopped.ids], [...stop]);
  const allowed = [[0, 1], [1]];
  const confined = await begin(policy, prompt, 4).sample({ maxTokens, allowed });
  if (!allowed.some((sequence) => sequence.join() === confined.ids.join())) {
    fail(policy, `Confined to [0, 1] and [1], it said [${confined.ids.join(", ")}].`);
  }
}

/** What cannot be read or continued is refused with a code, before any work. */
export async function checkRefusals(policy: CheckedPolicy, options: PolicyCheckOptions): Promise<void> {
  const refused = async (what: string, code: string, work: () => Promise<unknown>): Promise<void> => {
    const error: unknown = await work().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (errorCode(error) !== code) fail(policy, `${what} was not refused with "${code}" but gave ${String(error)}.`);
  };
  await refused("An empty prompt", "empty-prompt", async () => policy.open().sample({ maxTokens: 1 }));
  const talk = policy.open();
  await refused("A token outside the vocabulary", "bad-token", async () => {
    talk.extend([0, options.vocabularySize]);
    await talk.sample({ maxTokens: 1 });
  });
  if (talk.tokens.length > 0) fail(policy, "A refused list of tokens was read in part.");
  for (const wrong of [{ maxTokens: 0 }, { temperature: -1 }, { temperature: Number.NaN }]) {
    const [[name, value]] = Object.entries(wrong) as [[string, number]];
    await refused(`The ${name} ${value}`, "bad-option", async () => {
      await begin(policy, prompts(options)[0] as Int32Array, 0).sample({ maxTokens: 1, ...wrong });
    });
  }
}

/** What was sampled has the log-probability that scoring gives it. */
export async function checkScores(policy: CheckedPolicy, options: PolicyCheckOptions): Promise<void> {
  const { score } = policy;
  if (score === undefined) fail(policy, "It has no `score`, though its scoring is to be checked.");
  const all = prompts(options);
  const talks = all.map((prompt, at) => begin(policy, prompt, at));
  const responses = await Promise.all(talks.map((talk) => talk.sample({ maxTokens: options.maxTokens ?? 12 })));
  const rows = talks.map((talk) => ({ ids: talk.tokens }));
  const together = await score.call(policy, rows);
  for (const [at, row] of rows.entries()) {
    const start = (all[at] as Int32Array).length;
    const { logprob = new Float32Array() } = together[at] ?? {};
    if (logprob.length !== row.ids.length)
      fail(policy, `Row ${at} of ${row.ids.length} tokens got ${logprob.length} scores.`);
    if (logprob[0] !== 0) fail(policy, `Row ${at} has the score ${logprob[0]} at position 0, which nothing predicts.`);
    const sampled = (responses[at] as Sampled).logprobs;
    expectClose(policy, `Row ${at}: scored`, logprob.subarray(start), sampled, options.tolerance ?? 1e-4);
  }
}

function expectSame(policy: Policy, what: string, got: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (left !== right) fail(policy, `${what} differs: got ${left.slice(0, 200)}, expected ${right.slice(0, 200)}.`);
}

function expectClose(
  policy: Policy,
  what: string,
  got: ArrayLike<number>,
  wanted: ArrayLike<number>,
  tolerance: number,
): void {
  if (got.length !== wanted.length) fail(policy, `${what} has ${got.length} numbers for ${wanted.length}.`);
  for (let at = 0; at < got.length; at += 1) {
    const distance = Math.abs((got[at] as number) - (wanted[at] as number));
    if (distance <= tolerance) continue;
    fail(
      policy,
      `${what} log-probability ${got[at]} at token ${at} is not ${wanted[at]} (allowed distance ${tolerance}).`,
    );
  }
}

function begin(policy: CheckedPolicy, prompt: Int32Array, seed: number | string): Conversation {
  const talk = policy.open({ seed });
  talk.extend(prompt);
  return talk;
}

async function say(
  policy: CheckedPolicy,
  prompt: Int32Array,
  seed: number,
  options: PolicyCheckOptions,
): Promise<Sampled> {
  return begin(policy, prompt, seed).sample({ maxTokens: options.maxTokens ?? 12, temperature: 0.9 });
}

/** Two turns with something read in between. */
async function speak(
  policy: CheckedPolicy,
  prompt: Int32Array,
  seed: number,
  options: PolicyCheckOptions,
): Promise<unknown> {
  const talk = begin(policy, prompt, seed);
  const first = await talk.sample({ maxTokens: options.maxTokens ?? 12 });
  talk.extend(prompt);
  const second = await talk.sample({ maxTokens: options.maxTokens ?? 12, temperature: 0.7, topK: 5 });
  return [plain(first), plain(second), [...talk.tokens]];
}

function plain({ ids, logprobs, sampledLogprobs }: Sampled): unknown {
  return [[...ids], [...logprobs], [...sampledLogprobs]];
}

// Checks that a policy which learns keeps the contract of `policy.ts`: the loss falls, and files change nothing.

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

/** A few rows learned again and again: their loss falls, and the version changes. */
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

// Checks that a scorer's most probable tokens are those of its whole distribution.

/** A scorer without `topTokens` or candidates to compare with keeps the promise by saying nothing. */
export async function checkTopTokens(policy: CheckedPolicy, options: PolicyCheckOptions): Promise<void> {
  const { topTokens, score, vocabularySize, tolerance } = { ...options, ...bound(policy) };
  if (topTokens === undefined || score === undefined || policy.statistics?.includes("candidates") !== true) return;
  const count = Math.min(4, vocabularySize);
  const everything = Array.from({ length: vocabularySize }, (_, id) => id);
  const rows = prompts(options).map((ids) => ({
    ids,
    candidates: { count: vocabularySize, ids: repeated(everything, ids.length) },
  }));
  const tops = await topTokens(rows, { count });
  const whole = await score(rows, { statistics: ["candidates"] });
  rows.forEach(({ ids }, row) => {
    const top = tops[row] as TopTokens;
    const { candidates: all = new Float32Array() } = whole[row] ?? {};
    if (top.ids.length !== ids.length * count) {
      fail(
        policy,
        `Row ${row} of ${ids.length} tokens got ${top.ids.length} of the ${count} most probable tokens each.`,
      );
    }
    for (let token = 1; token < ids.length; token += 1) {
      const own = all.subarray(token * vocabularySize, (token + 1) * vocabularySize);
      checkPosition(policy, top, token, own, { where: `Row ${row}, token ${token}`, tolerance: tolerance ?? 1e-4 });
    }
  });
}

function checkPosition(
  policy: CheckedPolicy,
  { count, ids, logprobs }: TopTokens,
  token: number,
  whole: Float32Array,
  { where, tolerance }: { readonly where: string; readonly tolerance: number },
): void {
  const found = [...ids.subarray(token * count, (token + 1) * count)];
  const values = logprobs.subarray(token * count, (token + 1) * count);
  if (new Set(found).size !== count) fail(policy, `${where}: a token is twice among the most probable ones.`);
  expectClose(
    policy,
    `${where}: top`,
    values,
    found.map((id) => whole[id] as number),
    tolerance,
  );
  for (let at = 1; at < count; at += 1) {
    const [before, value] = [values[at - 1] as number, values[at] as number];
    if (value > before || (value === before && (found[at - 1] as number) > (found[at] as number))) {
      fail(policy, `${where}: the most probable tokens are not in order: ${found.join(", ")}.`);
    }
  }
  const least = (values[count - 1] as number) + tolerance;
  const missed = whole.findIndex((value, id) => value > least && !found.includes(id));
  if (missed >= 0) fail(policy, `${where}: token ${missed} is more probable than one of ${found.join(", ")}.`);
}

function repeated(values: readonly number[], times: number): Int32Array {
  return Int32Array.from({ length: values.length * times }, (_, at) => values[at % values.length] as number);
}

/** The two functions, still as methods of their policy. */
function bound(policy: CheckedPolicy): Pick<CheckedPolicy, "topTokens" | "score"> {
  return {
    ...(policy.topTokens === undefined ? {} : { topTokens: policy.topTokens.bind(policy) }),
    ...(policy.score === undefined ? {} : { score: policy.score.bind(policy) }),
  };
}
