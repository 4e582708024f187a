/**
 * Which core a new conversation goes to. Those that begin alike are kept together, because a core reads a beginning that is
 * shared once; and no core gets more than its share.
 */

/**
 * The core of each beginning, in their order. `loads` says how many conversations each core has already.
 * Those with the fewest are filled first, so that all have equally many, or one more, as far as that can be.
 */
export function placeTalks(loads: readonly number[], beginnings: readonly Int32Array[]): readonly number[] {
  const room = shares(loads, beginnings.length);
  const order = [...beginnings.keys()].toSorted((left, right) =>
    compare(beginnings[left] as Int32Array, beginnings[right] as Int32Array),
  );
  const placed = beginnings.map(() => 0);
  let core = 0;
  for (const at of order) {
    while (room[core] === 0) core += 1;
    room[core] = (room[core] as number) - 1;
    placed[at] = core;
  }
  return placed;
}

/** How many of `count` new ones each core takes. */
function shares(loads: readonly number[], count: number): number[] {
  const taken = loads.map(() => 0);
  const full = [...loads];
  for (let left = count; left > 0; left -= 1) {
    const least = full.indexOf(Math.min(...full));
    full[least] = (full[least] as number) + 1;
    taken[least] = (taken[least] as number) + 1;
  }
  return taken;
}

/** By their first difference: those that share most are neighbours. Equal ones keep their order. */
function compare(left: Int32Array, right: Int32Array): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    if (left[at] !== right[at]) return (left[at] as number) - (right[at] as number);
  }
  return left.length - right.length;
}
