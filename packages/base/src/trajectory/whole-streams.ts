/**
 * Streams of a branch with the tokens before them. A branch records only its own tokens; its first stream goes on in the
 * context of its parent, after `info.sharedTokens` tokens of it (where the parent's step began, plus the shared tokens of
 * its answer, when that is not given).
 */
import { EngineError } from "../base/errors.ts";
import { withoutUndefined } from "../base/fields.ts";
import { concat } from "../base/concat.ts";
import type { Forest } from "./forest.ts";
import type { TokenStream, Trajectory } from "./trajectory.ts";

/**
 * All streams of a trajectory as whole contexts. What the parents recorded has mask 0: they train on it themselves.
 *
 * @example
 * import { createScriptedPolicy } from "limbeck/policy";
 * import { createForest } from "limbeck/reward";
 *
 * const policy = createScriptedPolicy({ script: () => "look" });
 * const strategyOptions = { by: "policy", count: 2 };
 * const { trajectories } = await rollout({ env: "household", policy, tasks: 1, strategy: "alternatives", strategyOptions, maxSteps: 2 });
 * const forest = createForest(trajectories);
 * const added = trajectories.map((one) => wholeStreams(forest, one)[0]?.ids.length !== one.streams[0]?.ids.length);
 * console.log(added); // [ false, true, true, true, true ]
 */
export function wholeStreams(forest: Forest, trajectory: Trajectory): TokenStream[] {
  const { parent, streams } = trajectory;
  const [first, ...rest] = streams;
  if (parent === undefined || first === undefined) return [...streams];
  return [after(sharedContext(forest, trajectory), first), ...rest];
}

/** Tokens of the context before a branch's first own token; none for a root. */
export function sharedContext(forest: Forest, { id, parent, info }: Trajectory): Int32Array {
  if (parent === undefined) return new Int32Array();
  const from = forest.get(parent.trajectory);
  if (from === undefined) {
    throw new EngineError(
      "parent-missing",
      `No trajectory "${parent.trajectory}", the parent of "${id}". Load the whole forest, or drop the branch.`,
    );
  }
  const span = from.steps[parent.step - (from.parent?.step ?? 0)]?.span;
  const at = span?.stream ?? from.streams.length - 1;
  const own = from.streams[at]?.ids ?? new Int32Array();
  const before = at === 0 ? sharedContext(forest, from) : new Int32Array();
  const said = info?.["sharedTokens"];
  const start = before.length + (span?.start ?? own.length) + (parent.token ?? 0);
  const count = typeof said === "number" ? said : start;
  if (count > before.length + own.length) {
    throw new EngineError(
      "branch-point",
      `Trajectory "${id}" shares ${count} tokens with "${from.id}", whose context has ${before.length + own.length}.`,
    );
  }
  return concat(Int32Array, [before, own]).slice(0, count);
}

function after(shared: Int32Array, stream: TokenStream): TokenStream {
  const { logprobs, sampledLogprobs, versions, temperatures, weights, allowed } = stream;
  const before = shared.length;
  const floats = (values: Float32Array | undefined) =>
    values && concat(Float32Array, [new Float32Array(before), values]);
  const integers = (values: Int32Array) => concat(Int32Array, [new Int32Array(before), values]);
  return {
    ids: concat(Int32Array, [shared, stream.ids]),
    mask: concat(Uint8Array, [new Uint8Array(before), stream.mask]),
    ...withoutUndefined({
      logprobs: floats(logprobs),
      sampledLogprobs: floats(sampledLogprobs),
      versions: versions && integers(versions),
      temperatures: floats(temperatures),
      weights: floats(weights),
      allowed: allowed && { offsets: integers(allowed.offsets), ids: allowed.ids },
    }),
  };
}
