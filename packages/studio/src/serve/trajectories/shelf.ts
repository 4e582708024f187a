/** Trajectories that were looked at lately: their windows come without reading them again. */
import { readTokenTexts, type TokenTexts } from "limbeck-store/report/token-texts";
import { Recent } from "limbeck-base/base/recent";
import type { Store } from "limbeck-store/store/store";
import { readShown, type TrajectoryView } from "./detail.ts";

export interface TrajectoryShelf {
  read(run: string, id: string): Promise<TrajectoryView>;
  /** It has changed: the next look reads it anew. */
  forget(run: string, id: string): void;
}

const KEPT = 8;
/** A reward may be added, and a run deleted, meanwhile. */
const KEPT_MS = 5_000;
const TOKENIZERS = 4;

export function createTrajectoryShelf(store: Store, now: () => number): TrajectoryShelf {
  const kept = new Recent<{ readonly at: number; readonly shown: TrajectoryView }>(KEPT);
  const tokenizers = new Recent<TokenTexts | undefined>(TOKENIZERS);
  const textsOf = async (run: string): Promise<TokenTexts | undefined> => {
    const texts = await tokenizers.get(run, () => readTokenTexts(store.root, run));
    // A training writes its tokenizer with its first checkpoint, so that it may come later.
    if (texts === undefined) tokenizers.delete(run);
    return texts;
  };
  return {
    forget: (run, id) => kept.delete(`${run} ${id}`),
    read: async (run, id) => {
      const key = `${run} ${id}`;
      const read = async (): Promise<{ readonly at: number; readonly shown: TrajectoryView }> => {
        const shown = await readShown(store, run, id, textsOf(run));
        return { at: now(), shown };
      };
      const known = await kept.get(key, read);
      if (now() - known.at < KEPT_MS) return known.shown;
      kept.delete(key);
      return (await kept.get(key, read)).shown;
    },
  };
}
