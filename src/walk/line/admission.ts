/** Starts work in order, when there is room for the walks it will need; keeps memory and caches in bounds. */
export interface Admission {
  /** Resolves when the work may begin. `walks` is how many it will need in all. */
  admit(walks: number): Promise<Admitted>;
}

export interface Admitted {
  walkEnded(): void;
  done(): void;
}

export function createAdmission(limit: number): Admission {
  const waiting: { readonly walks: number; readonly begin: (admitted: Admitted) => void }[] = [];
  let load = 0;
  const begin = (walks: number): Admitted => {
    let left = walks;
    load += walks;
    const free = (count: number): void => {
      left -= count;
      load -= count;
      pump();
    };
    return { walkEnded: () => free(Math.min(1, left)), done: () => free(left) };
  };
  const room = (): boolean => load < limit;
  const pump = (): void => {
    while (room() && waiting.length > 0) {
      const next = waiting.shift();
      next?.begin(begin(next.walks));
    }
  };
  return {
    admit: (walks) =>
      new Promise((resolve) => {
        waiting.push({ walks, begin: resolve });
        pump();
      }),
  };
}
