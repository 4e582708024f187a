/**
 * An episode that was played with a hint in its opening, as if there had been none: the plain opening, and after it
 * everything token for token as it was. What the policy would have thought of its words without the hint is another
 * matter, so log-probabilities are left out; training scores them anew.
 */
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { Step, TokenStream, Trajectory } from "limbeck-base/trajectory/trajectory";

/** Undefined where the first step has no tokens. The observation of the first step must be the world's own. */
export function withoutHint(trajectory: Trajectory, dialect: Dialect, system?: string): Trajectory | undefined {
  const [first] = trajectory.steps;
  const told = first?.span === undefined ? undefined : trajectory.streams[first.span.stream];
  if (first?.span === undefined || told === undefined) return undefined;
  const opening = dialect.opening(first.observation, system);
  const { stream, start } = first.span;
  const shift = opening.length - start;
  const plain = (one: TokenStream, at: number): TokenStream =>
    at === stream ? retold(one, opening, start) : { ids: one.ids, mask: one.mask };
  const moved = (step: Step, at: number): Step => {
    const { prompt: _prompt, basePrompt: _basePrompt, ...rest } = step;
    const own = at === 0 ? rest : step;
    const { span } = step;
    return span?.stream === stream
      ? { ...own, span: { stream, start: span.start + shift, end: span.end + shift } }
      : own;
  };
  return { ...trajectory, steps: trajectory.steps.map(moved), streams: trajectory.streams.map(plain) };
}

function retold({ ids, mask }: TokenStream, opening: Int32Array, start: number): TokenStream {
  const length = opening.length + ids.length - start;
  const [allIds, allMask] = [new Int32Array(length), new Uint8Array(length)];
  allIds.set(opening);
  allIds.set(ids.subarray(start), opening.length);
  allMask.set(mask.subarray(start), opening.length);
  return { ids: allIds, mask: allMask };
}
