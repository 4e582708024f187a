/** Which shortcut the keys pressed so far mean. A first key of two waits a moment for the second. */
const WAIT_MS = 1_200;

export function createKeyReader(): (key: string, timeMs: number, known: readonly string[]) => string | undefined {
  let [first, since] = ["", 0];
  return (key, timeMs, known) => {
    const both = `${first} ${key}`;
    if (first !== "" && timeMs - since < WAIT_MS && known.includes(both)) {
      first = "";
      return both;
    }
    first = known.some((keys) => keys.startsWith(`${key} `)) ? key : "";
    since = timeMs;
    return known.includes(key) ? key : undefined;
  };
}
