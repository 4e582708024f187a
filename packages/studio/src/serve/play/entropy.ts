/** Entropies at the tokens of steps, by the model beside the run. */
import type { Store } from "limbeck-store/store/store";
import { wholeStreams } from "limbeck-base/trajectory/whole-streams";
import type { Forest } from "limbeck-base/trajectory/forest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Entropies } from "../api/trajectory.ts";
import type { OpenedModel } from "./model-shelf.ts";

export async function entropiesOf(
  { model }: OpenedModel,
  forest: Forest,
  trajectory: Trajectory,
  window: { readonly from: number; readonly count: number },
  signal: AbortSignal,
): Promise<Entropies> {
  const steps = trajectory.steps.slice(window.from, window.from + window.count);
  const streams = wholeStreams(forest, trajectory);
  const most = model.config.contextLength;
  const asked = streams.map(({ ids }, stream) => {
    const shared = ids.length - (trajectory.streams[stream]?.ids.length ?? 0);
    const mask = new Uint8Array(Math.min(ids.length, most));
    let end = 0;
    for (const { span } of steps) {
      if (span?.stream !== stream) continue;
      mask.fill(1, Math.min(most, shared + span.start), Math.min(most, shared + span.end));
      end = Math.min(most, Math.max(end, shared + span.end));
    }
    return { stream, shared, ids: ids.slice(0, end), mask: mask.slice(0, end) };
  });
  const rows = asked.filter(({ ids }) => ids.length > 0);
  const scored = rows.length === 0 ? [] : await model.score(rows, { statistics: ["entropy"], signal });
  const byStream = new Map(rows.map(({ stream, shared }, at) => [stream, { shared, entropy: scored[at]?.entropy }]));
  return {
    update: updateOf(model.progress),
    steps: steps.flatMap(({ index, span }) => {
      if (span === undefined) return [];
      const { shared = 0, entropy = new Float32Array() } = byStream.get(span.stream) ?? {};
      const length = span.end - span.start;
      // Beyond what the model can read at once nothing is known.
      const values = Array.from({ length }, (_, at) => entropy[shared + span.start + at] ?? null);
      return [{ index, entropy: values.map((value) => (value === null ? null : Math.round(value * 1e4) / 1e4)) }];
    }),
  };
}

/** The trajectory and all it branched from. */
export async function readForest(store: Store, run: string, trajectory: Trajectory): Promise<Forest> {
  const forest = new Map([[trajectory.id, trajectory]]);
  for (let next = trajectory.parent?.trajectory; next !== undefined && !forest.has(next);) {
    let parent: Trajectory | undefined;
    for await (const found of store.trajectories({ run, ids: [next], limit: 1 })) parent = found;
    if (parent === undefined) break;
    forest.set(parent.id, parent);
    next = parent.parent?.trajectory;
  }
  return forest;
}

function updateOf(progress: Readonly<Record<string, unknown>>): number | null {
  const training = progress["training"];
  const update =
    typeof training === "object" && training !== null && "update" in training ? training.update : undefined;
  return typeof update === "number" ? update : null;
}
