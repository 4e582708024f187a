/** j and k walk through the rows of a list, Enter opens the one that is held. */
import { useEffect, useState } from "preact/hooks";
import { useShortcuts, type Shortcut } from "./shortcuts.tsx";

export function useListKeys(
  title: string,
  count: number,
  open: (row: number) => void,
  more: (row: number) => readonly Shortcut[] = () => [],
): number {
  const [held, setHeld] = useState(-1);
  const row = Math.min(held, count - 1);
  const move = (by: number): void => setHeld(Math.max(0, Math.min(count - 1, row + by)));
  useShortcuts(title, [
    { keys: "j", meaning: "next row", run: () => move(1) },
    { keys: "k", meaning: "previous row", run: () => move(-1) },
    { keys: "o", meaning: "open the row", run: () => row >= 0 && open(row) },
    ...more(row),
  ]);
  useEffect(() => {
    document.querySelector(".held")?.scrollIntoView({ block: "nearest" });
  }, [row]);
  return row;
}
