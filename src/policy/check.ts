/**
 * Checks that a policy keeps the contract of `policy.ts` when it speaks and scores, for any test runner or none. Each
 * throws an EngineError "policy-contract" that names the policy and what differed.
 */
import { createRng, EngineError, errorCode } from "../base/index.ts";
import type { Conversation, Learner, Policy, Sampled, Scorer } from "./policy.ts";

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
    const said = await talk.sample({ maxTokens });
    const { ids, logprobs, sampledLogprobs, ending } = said;
    // What was drawn from may be unknown: a server need not tell it.
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
  const said = await Promise.all(talks.map((talk) => talk.sample({ maxTokens: options.maxTokens ?? 12 })));
  const rows = talks.map((talk) => ({ ids: talk.tokens }));
  const together = await score.call(policy, rows);
  for (const [at, row] of rows.entries()) {
    const start = (all[at] as Int32Array).length;
    const { logprob = new Float32Array() } = together[at] ?? {};
    if (logprob.length !== row.ids.length)
      fail(policy, `Row ${at} of ${row.ids.length} tokens got ${logprob.length} scores.`);
    if (logprob[0] !== 0) fail(policy, `Row ${at} has the score ${logprob[0]} at position 0, which nothing predicts.`);
    const sampled = (said[at] as Sampled).logprobs;
    expectClose(policy, `Row ${at}: scored`, logprob.subarray(start), sampled, options.tolerance ?? 1e-4);
  }
}

export function expectSame(policy: Policy, what: string, got: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (left !== right) fail(policy, `${what} differs: got ${left.slice(0, 200)}, expected ${right.slice(0, 200)}.`);
}

export function expectClose(
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
