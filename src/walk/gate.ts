/** Lets at most so many work at a time. Of those who wait the lowest order goes first, then the one who came first. */
export interface Gate {
  /** Undefined when one may enter at once. */
  enter(order: number): Promise<void> | undefined;
  leave(): void;
}

interface Waiting {
  readonly order: number;
  readonly enter: () => void;
}

export function createGate(limit: number): Gate {
  const waiting: Waiting[] = [];
  let inside = 0;
  return {
    enter: (order) => {
      if (inside < limit) {
        inside += 1;
        return undefined;
      }
      return new Promise((resolve) => {
        let [low, high] = [0, waiting.length];
        while (low < high) {
          const middle = (low + high) >>> 1;
          if ((waiting[middle] as Waiting).order <= order) low = middle + 1;
          else high = middle;
        }
        waiting.splice(low, 0, { order, enter: resolve });
      });
    },
    leave: () => {
      const next = waiting.shift();
      if (next === undefined) inside -= 1;
      else next.enter();
    },
  };
}
