/** Learning only from the steps at which the policy was least sure (DART): which rows of a batch are left out. */
import { mean } from "../base/statistics/summary.ts";
import type { TrajectoryBatch } from "../credit/from-trajectories.ts";
import { highEntropySteps } from "../distill/curation/high-entropy.ts";
import type { TokenStream, Trajectory } from "../trajectory/trajectory.ts";
import { placesOf } from "./providers/contexts.ts";
import type { UpdateContext } from "./context.ts";

/**
 * The rows, by index, that are left out. How many of the steps of a group are learned from is the setting `stepShare`.
 * Entropies are of the policy as it is; a stream is scored once for all its steps.
 */
export async function sureRows(
  { model, settings: { stepShare: share }, signal }: UpdateContext,
  batch: TrajectoryBatch,
  episodes: readonly Trajectory[],
): Promise<readonly number[]> {
  if (share >= 1) return [];
  const places = placesOf(batch, episodes);
  const masks = new Map<TokenStream, Uint8Array>();
  for (const place of places) {
    if (place === undefined) continue;
    const mask = masks.get(place.stream) ?? new Uint8Array(place.stream.ids.length);
    masks.set(place.stream, mask.fill(1, place.start, place.end));
  }
  const streams = [...masks].map(([stream, mask]) => ({ stream, ids: stream.ids, mask }));
  const scored = await model.score(
    streams.map(({ ids, mask }) => ({ ids, mask })),
    { statistics: ["entropy"], signal },
  );
  const entropies = new Map(streams.map(({ stream }, at) => [stream, scored[at]?.entropy]));
  const steps = batch.rows.map(({ task }, at) => {
    const place = places[at];
    const own = place === undefined ? undefined : entropies.get(place.stream)?.subarray(place.start, place.end);
    return { group: task, entropy: own === undefined || own.length === 0 ? undefined : mean([...own]) };
  });
  const kept = highEntropySteps(steps, share);
  return [...batch.rows.keys()].filter((at) => !kept.has(at));
}
