/** A branch as the whole episode it ends: what its ancestors did before it left, then its own, in streams of its own. */
import { ancestry, type Forest } from "./forest.ts";
import type { Step, TokenStream, Trajectory } from "./trajectory.ts";

/**
 * The same trajectory from the opening on, without a parent. Tokens of ancestors keep their mask and their likelihoods.
 *
 * @example
 * import { createForest } from "limbeck/reward";
 *
 * const strategyOptions = { by: "policy", count: 2 };
 * const { trajectories } = await rollout({ env: "household", policy: "expert", tasks: 1, strategy: "alternatives", strategyOptions, maxSteps: 2 });
 * const forest = createForest(trajectories);
 * const whole = trajectories.map(({ id }) => wholeEpisode(forest, id));
 * console.log(whole.map(({ steps }) => steps[0]?.index)); // [ 0, 0, 0, 0, 0 ]
 */
export function wholeEpisode(forest: Forest, id: string): Trajectory {
  let steps: readonly Step[] = [];
  let streams: readonly TokenStream[] = [];
  const line = ancestry(forest, id).reverse();
  for (const own of line) {
    const [first, ...fresh] = own.streams;
    const replaced = steps.find(({ index }) => index === own.parent?.step);
    const at = replaced?.span?.stream ?? streams.length - 1;
    const before = streams[at];
    const { step: left = 0, token = 0 } = own.parent ?? {};
    const said = own.info?.["sharedTokens"];
    const shared = typeof said === "number" ? said : (replaced?.span?.start ?? before?.ids.length ?? 0) + token;
    const goesOn = own.parent !== undefined && before !== undefined;
    const placed = own.steps.map((step, place) => {
      if (!goesOn || step.span === undefined) return step;
      const { stream, start, end } = step.span;
      const offset = stream === 0 ? shared : 0;
      // The answer in which it left begins with tokens of its parent's.
      const begin = place === 0 && token > 0 ? (replaced?.span?.start ?? offset + start) : offset + start;
      return { ...step, span: { stream: at + stream, start: begin, end: offset + end } };
    });
    steps = [...steps.filter(({ index }) => index < left), ...placed];
    streams = goesOn ? [...streams.slice(0, at), joined(before, shared, first), ...fresh] : own.streams;
  }
  const { parent: _parent, ...last } = line.at(-1) as Trajectory;
  return { ...last, steps, streams };
}

const FLOATS = ["logprobs", "sampledLogprobs", "temperatures", "weights"] as const;

/** So many tokens of one stream, then the other. What only one of them knows is 0 for the other's tokens. */
function joined(left: TokenStream, shared: number, right: TokenStream | undefined): TokenStream {
  const length = shared + (right?.ids.length ?? 0);
  const both = <Values extends Int32Array | Uint8Array | Float32Array>(
    all: Values,
    before: Values | undefined,
    after: Values | undefined,
  ): Values => {
    if (before !== undefined) all.set(before.subarray(0, shared));
    if (after !== undefined) all.set(after, shared);
    return all;
  };
  const floats = FLOATS.flatMap((field) => {
    const [before, after] = [left[field], right?.[field]];
    return before === undefined && after === undefined ? [] : [[field, both(new Float32Array(length), before, after)]];
  });
  const [versions, more] = [left.versions, right?.versions];
  return {
    ids: both(new Int32Array(length), left.ids, right?.ids),
    mask: both(new Uint8Array(length), left.mask, right?.mask),
    ...(Object.fromEntries(floats) as Partial<Record<(typeof FLOATS)[number], Float32Array>>),
    ...(versions === undefined && more === undefined ? {} : { versions: both(new Int32Array(length), versions, more) }),
    ...allowedOf(left, shared, right, length),
  };
}

function allowedOf(
  { allowed: before }: TokenStream,
  shared: number,
  right: TokenStream | undefined,
  length: number,
): Pick<TokenStream, "allowed"> {
  const after = right?.allowed;
  if (before === undefined && after === undefined) return {};
  const kept = before?.offsets[shared] ?? 0;
  const offsets = new Int32Array(length + 1);
  for (let at = 0; at <= length; at += 1) {
    offsets[at] = at <= shared ? (before?.offsets[at] ?? 0) : kept + (after?.offsets[at - shared] ?? 0);
  }
  const ids = [...(before?.ids.subarray(0, kept) ?? []), ...(after?.ids ?? [])];
  return { allowed: { offsets, ids: Int32Array.from(ids) } };
}
