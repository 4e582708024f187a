/** Any valid forest of trajectories, for property tests. Everything optional is sometimes there and sometimes not. */
import fc from "fast-check";
import type {
  Reward,
  Score,
  Span,
  Step,
  Task,
  TokenStream,
  Trajectory,
} from "../../packages/base/src/trajectory/trajectory.ts";

/** `__proto__` is no plain key, and strict equality looks at `constructor` as if it were the class of the object. */
const UNCOMPARABLE: ReadonlySet<string> = new Set(["__proto__", "constructor"]);

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constant('a\nb\t"c" \\ \u0000'),
);
const name = fc.string({ minLength: 1, maxLength: 12 });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const float32 = fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const int32 = fc.integer();
const count = fc.nat({ max: 1_000_000 });
const json = fc.dictionary(
  name.filter((key) => !UNCOMPARABLE.has(key)),
  fc.oneof(text, finite, fc.boolean(), fc.constant(null), fc.array(finite, { maxLength: 3 })),
  { maxKeys: 3, noNullPrototype: true },
);

export const score: fc.Arbitrary<Score> = fc.oneof(
  finite.map((value): Score => ({ kind: "scored", value })),
  text.map((why): Score => ({ kind: "unscored", why })),
);

const usage = fc.record(
  { promptTokens: count, completionTokens: count, cachedTokens: count, modelCalls: count, costUsd: finite },
  { noNullPrototype: true, requiredKeys: [] },
);
const timing = fc.record(
  {
    startedAt: fc
      .date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
      .map((date) => date.toISOString()),
    durationMs: finite,
    policyMs: finite,
    envMs: finite,
  },
  { noNullPrototype: true, requiredKeys: [] },
);

const message = fc.record(
  {
    role: fc.constantFrom("system", "user", "assistant", "tool"),
    content: fc.oneof(text, fc.array(json, { maxLength: 2 })),
    name: text,
    reasoning: text,
    toolCalls: fc.array(
      fc.record({ id: text, name: text, arguments: fc.oneof(json, text) }, { noNullPrototype: true }),
      { maxLength: 2 },
    ),
    toolCallId: text,
    extra: json,
  },
  { noNullPrototype: true, requiredKeys: ["role", "content"] },
) as fc.Arbitrary<NonNullable<Step["reply"]>>;

const stream: fc.Arbitrary<TokenStream> = fc.nat({ max: 12 }).chain((length) => {
  const array = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
    fc.array(item, { minLength: length, maxLength: length });
  // JSON has no -0, and where a native library lets the processor flush tiny numbers, they become one on their way into the array.
  const floats = array(float32).map((values) => Float32Array.from(values).map((value) => (value === 0 ? 0 : value)));
  return fc.record(
    {
      ids: array(fc.nat({ max: 200_000 })).map((values) => Int32Array.from(values)),
      mask: array(fc.constantFrom(0, 1)).map((values) => Uint8Array.from(values)),
      logprobs: floats,
      sampledLogprobs: floats,
      versions: array(int32).map((values) => Int32Array.from(values)),
      temperatures: floats,
      weights: floats,
      allowed: array(fc.array(fc.nat({ max: 500 }), { maxLength: 3 })).map((sets) => ({
        offsets: Int32Array.from([0, ...sets.map((_, index) => sets.slice(0, index + 1).flat().length)]),
        ids: Int32Array.from(sets.flat()),
      })),
    },
    { noNullPrototype: true, requiredKeys: ["ids", "mask"] },
  );
});

const body = fc.record(
  {
    observation: text,
    stateKey: text,
    prompt: text,
    basePrompt: text,
    action: text,
    valid: fc.boolean(),
    reward: score,
    messages: fc.array(message, { maxLength: 3 }),
    reply: message,
    usage,
    timing,
    info: json,
    at: fc.tuple(fc.nat(), fc.nat(), fc.nat()),
  },
  { noNullPrototype: true, requiredKeys: ["observation", "stateKey", "action", "valid", "reward", "at"] },
);

const rest = fc.record(
  {
    group: name,
    ending: fc.constantFrom("terminated", "truncated", "failed"),
    reward: score,
    success: fc.constantFrom(true, false, null),
    policy: fc.record({ name, version: int32, model: text }, { noNullPrototype: true, requiredKeys: ["name"] }),
    usage,
    timing,
    closing: fc.record(
      { observation: text, messages: fc.array(message, { maxLength: 2 }) },
      { noNullPrototype: true, requiredKeys: ["observation"] },
    ),
    tools: fc.array(json, { maxLength: 2 }),
    failure: fc.record({ code: name, message: text }, { noNullPrototype: true }),
    info: json,
  },
  { noNullPrototype: true, requiredKeys: ["group", "ending", "reward", "success", "policy"] },
);

const taskBody = fc.record(
  { env: name, seed: fc.maxSafeInteger(), goal: text, split: name, data: json },
  { noNullPrototype: true, requiredKeys: ["env", "seed", "goal", "split"] },
);
const rewardBody = fc.record(
  {
    name,
    source: name,
    score,
    comment: text,
    at: fc.option(fc.nat(), { nil: undefined }),
    tokens: fc.option(fc.record({ start: count, end: count }, { noNullPrototype: true }), { nil: undefined }),
  },
  { noNullPrototype: true, requiredKeys: ["name", "source", "score", "at", "tokens"] },
);

const seedling = fc.record({
  rest,
  steps: fc.array(body, { maxLength: 5 }),
  streams: fc.array(stream, { maxLength: 3 }),
  rewards: fc.array(rewardBody, { maxLength: 3 }),
  task: fc.nat(),
  parent: fc.option(fc.tuple(fc.nat(), fc.nat(), fc.option(fc.nat(), { nil: undefined })), { nil: undefined, freq: 2 }),
});

/** A valid forest: parents come first, branches share their parent's task and go on counting its steps. */
export const forest: fc.Arbitrary<Trajectory[]> = fc
  .tuple(
    fc.array(seedling, { maxLength: 6 }),
    fc.array(taskBody, { minLength: 1, maxLength: 3 }),
    fc.string({ maxLength: 6 }),
  )
  .map(([seedlings, tasks, prefix]) => {
    const grown: Trajectory[] = [];
    for (const seed of seedlings) grown.push(grow(seed, tasks, grown, `${prefix}-${grown.length}`));
    return grown;
  });

type Seedling = typeof seedling extends fc.Arbitrary<infer T> ? T : never;

function grow(
  seed: Seedling,
  tasks: readonly Omit<Task, "id">[],
  earlier: readonly Trajectory[],
  id: string,
): Trajectory {
  const from = seed.parent === undefined || earlier.length === 0 ? undefined : earlier[seed.parent[0] % earlier.length];
  const first = from === undefined ? 0 : branchPoint(from, seed.parent?.[1] ?? 0);
  const span = from?.steps.find((step) => step.index === first)?.span;
  const token = span === undefined ? undefined : seed.parent?.[2];
  const number = seed.task % tasks.length;
  const used = new Map<number, number>();
  const steps = seed.steps.map(({ at, ...step }, position): Step => {
    const place = spanAt(seed.streams, at, used);
    return { ...step, index: first + position, ...(place === undefined ? {} : { span: place }) };
  });
  return {
    ...seed.rest,
    id,
    task: from?.task ?? { id: `task-${number}`, ...(tasks[number] as Omit<Task, "id">) },
    ...(from === undefined
      ? {}
      : {
          parent: {
            trajectory: from.id,
            step: first,
            ...(token === undefined || span === undefined ? {} : { token: token % (span.end - span.start + 1) }),
          },
        }),
    steps,
    streams: seed.streams,
    rewards: seed.rewards.map(({ at, tokens, ...reward }): Reward => {
      const step = at === undefined || steps.length === 0 ? undefined : first + (at % steps.length);
      return { ...reward, ...(step === undefined ? {} : { step }), ...(tokens === undefined ? {} : { tokens }) };
    }),
  };
}

function branchPoint(parent: Trajectory, draw: number): number {
  return (parent.parent?.step ?? 0) + (draw % (parent.steps.length + 1));
}

function spanAt(
  streams: readonly TokenStream[],
  [which, left, right]: readonly [number, number, number],
  used: Map<number, number>,
): Span | undefined {
  const stream = which % (streams.length + 1);
  const tokens = streams[stream]?.ids.length;
  if (tokens === undefined) return undefined;
  const from = used.get(stream) ?? 0;
  const ends = [left, right].map((draw) => from + (draw % (tokens - from + 1))).sort((a, b) => a - b);
  used.set(stream, ends[1] as number);
  return { stream, start: ends[0] as number, end: ends[1] as number };
}
