/** Two trajectories of one group, laid side by side: which rows both share, where they part, and what follows. */
import type { Sibling, StepOutline } from "../../../../src/serve/api.ts";

export interface BesideRow {
  /** Step of the episode. */
  readonly index: number;
  readonly kind: "shared" | "parting" | "apart";
  /** Places in the two trajectories; undefined where one has no such step. */
  readonly own: number | undefined;
  readonly theirs: number | undefined;
}

/** A branch holds only its own steps, so what came before the branch point stands in its parent alone. */
export function besideRows(own: readonly StepOutline[], theirs: readonly StepOutline[], sibling: Sibling): BesideRow[] {
  const ownAt = new Map(own.map(({ index }, place) => [index, place]));
  const theirsAt = new Map(theirs.map(({ index }, place) => [index, place]));
  const indices = [...new Set([...ownAt.keys(), ...theirsAt.keys()])].sort((left, right) => left - right);
  const parting = sibling.diverged?.step ?? sibling.shared;
  return indices.map((index) => ({
    index,
    kind: index < parting ? "shared" : index === parting && sibling.diverged !== null ? "parting" : "apart",
    own: ownAt.get(index),
    theirs: theirsAt.get(index),
  }));
}
