/** Which of the lanes takes the next step. */
import type { Lane, LaneRow } from "./lane.ts";

/** Passes of reading while others wait to speak. */
const MOST_READING = 4;

/**
 * Lanes from the widest to that of one token. Who reads goes first, so that all who speak do it in the same passes: a pass costs nearly the
 * same for one row as for eight. After some passes of reading there is one of speaking, or a stream of newcomers would keep everyone silent.
 */
export function createTurns<Of extends Pick<Lane<LaneRow>, "width" | "rows">>(
  lanes: readonly Of[],
): () => Of | undefined {
  let read = 0;
  return () => {
    const busy = lanes.filter(({ rows }) => rows.length > 0);
    const speaking = busy.find(({ width }) => width === 1);
    const next = speaking !== undefined && read >= MOST_READING ? speaking : busy[0];
    read = next === speaking ? 0 : read + 1;
    return next;
  };
}
