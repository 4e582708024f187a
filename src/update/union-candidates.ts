/** Words that the teacher or the policy finds likely, as many at every token. */
import type { Candidates } from "../distill/candidates.ts";

/**
 * `theirs` holds 2k words at each token, `ours` k: the teacher's first k, what of ours is not among them, and then more
 * of the teacher's until there are 2k. No word stands twice.
 */
export function unionOf(theirs: Candidates, ours: Candidates): Pick<Candidates, "count" | "ids"> {
  const { count } = theirs;
  const ids = new Int32Array(theirs.ids.length);
  for (let token = 0; token * count < ids.length; token += 1) {
    const likely = theirs.ids.subarray(token * count, (token + 1) * count);
    const own = ours.ids.subarray(token * ours.count, (token + 1) * ours.count);
    const found = new Set([...likely.subarray(0, ours.count), ...own, ...likely]);
    ids.set([...found].slice(0, count), token * count);
  }
  return { count, ids };
}
