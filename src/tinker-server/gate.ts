/** Many may read weights at once; who changes them waits for the readers and is alone. First come, first served. */
export interface Gate {
  read<T>(work: () => Promise<T>): Promise<T>;
  write<T>(work: () => Promise<T>): Promise<T>;
}

export function createGate(): Gate {
  const waiting: { readonly writes: boolean; readonly go: () => void }[] = [];
  let readers = 0;
  let writing = false;
  const next = (): void => {
    for (;;) {
      const [head] = waiting;
      if (head === undefined || writing || (head.writes && readers > 0)) return;
      waiting.shift();
      if (head.writes) writing = true;
      else readers += 1;
      head.go();
    }
  };
  const enter = (writes: boolean): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ writes, go: resolve });
      next();
    });
  const run = async <T>(writes: boolean, work: () => Promise<T>): Promise<T> => {
    await enter(writes);
    try {
      return await work();
    } finally {
      if (writes) writing = false;
      else readers -= 1;
      next();
    }
  };
  return { read: (work) => run(false, work), write: (work) => run(true, work) };
}
