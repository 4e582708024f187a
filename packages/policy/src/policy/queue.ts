/** Work that is done one piece after the other. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T>;

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    // Its failure belongs to its caller; the next one's turn comes all the same.
    last = next.catch(() => undefined);
    return next;
  };
}
