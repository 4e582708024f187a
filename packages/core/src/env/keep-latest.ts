/** Remembers the results used last. A promise that is rejected is not remembered. */
export function keepLatest<T>(limit: number, make: (key: string) => T): (key: string) => T {
  const kept = new Map<string, T>();
  return (key) => {
    const isKnown = kept.has(key);
    const value = isKnown ? (kept.get(key) as T) : make(key);
    kept.delete(key);
    kept.set(key, value);
    // The caller has the failure; the next one tries again.
    if (!isKnown && value instanceof Promise) value.catch(() => kept.delete(key));
    const oldest = kept.keys().next();
    if (kept.size > limit && oldest.done !== true) kept.delete(oldest.value);
    return value;
  };
}
