/** A ranking that says no more than the data: which arms the data do not separate, and which ranks each may have. */

export interface Standing {
  readonly name: string;
  /** Arms that share a letter are not separated (a compact letter display). "a" is the letter of the first arm. */
  readonly letters: string;
  /** 1 + how many arms are better beyond doubt. */
  readonly bestRank: number;
  /** The number of arms, less how many are worse beyond doubt. */
  readonly worstRank: number;
}

export interface StandingsTable {
  /** In the order given. */
  readonly arms: readonly Standing[];
  /** The one arm that is better than every other beyond doubt; null when there is none. */
  readonly winner: string | null;
}

/**
 * `names` from best to worst by their estimate; `better` says which of two is better beyond doubt, null for neither.
 * Letters are the largest sets in which no two arms are separated (maximal cliques, found by adding one arm at a time).
 *
 * @example
 * const { arms, winner } = standings(["a", "b", "c"], (left, right) => (right === "c" ? left : null));
 * console.log(arms.map(({ letters }) => letters), winner); // [ "a", "a", "b" ] null
 */
export function standings(
  names: readonly string[],
  better: (left: string, right: string) => string | null,
): StandingsTable {
  const beats = (left: string, right: string): boolean => left !== right && better(left, right) === left;
  const together = (left: string, right: string): boolean => !beats(left, right) && !beats(right, left);
  const sets = names.reduce<string[][]>((found, name) => {
    const joined = found.map((set) => (set.every((other) => together(name, other)) ? [...set, name] : set));
    const alone = [...found.map((set) => [...set.filter((other) => together(name, other)), name]), [name]];
    return largest([...joined, ...alone]);
  }, []);
  const order = (set: readonly string[]): number => Math.min(...set.map((name) => names.indexOf(name)));
  const letters = sets.toSorted((left, right) => order(left) - order(right) || right.length - left.length);
  const arms = names.map((name) => ({
    name,
    letters: letters.flatMap((set, index) => (set.includes(name) ? [letterOf(index)] : [])).join(""),
    bestRank: 1 + names.filter((other) => beats(other, name)).length,
    worstRank: names.length - names.filter((other) => beats(name, other)).length,
  }));
  const winner = arms.length > 1 ? arms.find(({ worstRank }) => worstRank === 1)?.name : undefined;
  return { arms, winner: winner ?? null };
}

/** Without doubles and without sets inside other sets. */
function largest(sets: readonly string[][]): string[][] {
  return sets.filter(
    (set, index) =>
      !sets.some(
        (other, at) =>
          at !== index && set.every((name) => other.includes(name)) && (other.length > set.length || at < index),
      ),
  );
}

/** a to z, then aa is written a26: letters past z stay readable one by one. */
function letterOf(index: number): string {
  return index < 26 ? String.fromCharCode(97 + index) : `a${index}`;
}
