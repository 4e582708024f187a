/** Actions that wait to be carried out (WebOperator): few are kept, and what ends the episode or cannot be taken back waits longest. */

export interface Waiting {
  readonly score: number;
  /** How many proposals meant it. */
  readonly count: number;
  readonly action: string;
  /** It ends the episode, and nothing else. */
  readonly ends: boolean;
  /** Nothing takes it back. */
  readonly isFinal: boolean;
  /** It was the last action several times in a row. */
  readonly repeats: boolean;
}

export interface FrontierLimits {
  /** Actions that are kept; one less after each that nothing takes back. */
  readonly size: number;
  /** Ends that are known before one is chosen. */
  readonly solutions: number;
  /** Actions that are carried out at most. */
  readonly expansions: number;
}

/** Share of the expansions after which ends no longer wait for others. */
const LATE = 0.8;
const MOST_CUTS = 3;

export class Frontier<Item extends Waiting> {
  readonly limits: FrontierLimits;
  /** Best first. */
  #queue: readonly Item[] = [];
  #size: number;
  /** Actions that were done for good. */
  #done = 0;
  #cuts = 0;
  #solutions = 0;

  constructor(limits: FrontierLimits) {
    this.limits = limits;
    this.#size = limits.size;
  }

  get waiting(): readonly Item[] {
    return this.#queue;
  }

  /** New actions. What is too much is cut before they come. `agreed`: all proposals mean the same end, nothing else counts. */
  add(items: readonly Item[], agreed = false): void {
    if (this.#queue.length > this.#size) {
      this.#queue = cutTo(this.#queue, this.#size);
      this.#cuts += 1;
    }
    this.#solutions += items.filter(({ ends }) => ends).length;
    this.#queue = [...(agreed ? [] : this.#queue), ...items].toSorted(
      (left, right) => right.score - left.score || right.count - left.count,
    );
  }

  /** Something was done for good: all that was open is out of reach. */
  doneForGood(): void {
    this.#queue = [];
    this.#size = Math.max(1, this.#size - 1);
    this.#done += 1;
  }

  /** The action that is carried out next, after so many; it no longer waits. */
  next(expanded: number): Item | undefined {
    const chosen = expanded >= this.limits.expansions ? this.#bestEnd : this.#choose(expanded);
    return this.#take(chosen);
  }

  /** What is left when nothing more can be explored: the best end, else the best that nothing takes back. */
  last(): Item | undefined {
    return this.#take(this.#bestEnd ?? this.#queue.find(({ isFinal }) => isFinal));
  }

  #take(chosen: Item | undefined): Item | undefined {
    this.#queue = this.#queue.filter((item) => item !== chosen);
    return chosen;
  }

  get #bestEnd(): Item | undefined {
    return this.#queue.find(({ ends }) => ends);
  }

  #choose(expanded: number): Item | undefined {
    const queue = this.#queue;
    const isEarly = this.#solutions < this.limits.solutions && expanded < LATE * this.limits.expansions;
    const mayEnd = this.#done > 0 || this.#cuts > 0;
    if (queue.length > this.#size || finalsOf(queue) > 1) {
      const first = queue.find(({ ends }) => !(ends && isEarly && this.#cuts < MOST_CUTS));
      if (first !== undefined) return first.isFinal && mayEnd ? (this.#bestEnd ?? first) : first;
    }
    const usual = queue.find(({ ends, isFinal, repeats }, at) => {
      if (isFinal || repeats) return false;
      if (!ends) return true;
      // Only what is rated lower is looked at, as in published code.
      const finals = finalsOf(queue.slice(at + 1));
      return !isEarly && (finals > 0 ? this.#done > 0 : this.#cuts > 0);
    });
    if (usual !== undefined) return usual;
    if (mayEnd && this.#bestEnd !== undefined) return this.#bestEnd;
    return queue.find(({ ends }) => !ends) ?? this.#bestEnd;
  }
}

function finalsOf(queue: readonly Waiting[]): number {
  return queue.filter(({ isFinal }) => isFinal).length;
}

type Kind = "end" | "final" | "repeated";

function kindOf({ ends, isFinal, repeats }: Waiting): Kind | undefined {
  if (ends) return "end";
  if (isFinal) return "final";
  return repeats ? "repeated" : undefined;
}

/** One end, one that nothing takes back and one repeated action; then the worst go, those first that have a better equal. */
function cutTo<Item extends Waiting>(queue: readonly Item[], size: number): Item[] {
  const kinds = new Set<Kind>();
  const kept = queue.filter((item) => {
    const kind = kindOf(item);
    if (kind === undefined) return true;
    if (kinds.has(kind)) return false;
    kinds.add(kind);
    return true;
  });
  while (kept.length > size) {
    const doubled = kept.findLastIndex(({ action }, at) => kept.findIndex((other) => other.action === action) < at);
    kept.splice(doubled < 0 ? kept.length - 1 : doubled, 1);
  }
  return kept;
}
