/**
 * TCOD's two curricula over the turns of an episode. `step` counts updates from 0, `period` is how
 * many of them a stage lasts.
 *
 *   front to back: the first min(1 + floor(step / period), maxTurns) turns are played, later ones do not exist
 *   back to front: the expert's first max(0, n - 1 - floor(step / period)) of n actions are given, the rest is played
 */

/** How many turns an episode has at this step. */
export function playedTurns(step: number, period: number, maxTurns: number): number {
  return Math.min(1 + Math.floor(step / period), maxTurns);
}

/** How many of the expert's actions an episode begins with at this step. */
export function givenTurns(step: number, period: number, expertTurns: number): number {
  return Math.max(0, expertTurns - 1 - Math.floor(step / period));
}
