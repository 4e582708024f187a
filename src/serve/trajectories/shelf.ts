/** Trajectories that were looked at lately: their windows come without reading them again. */
import { readTokenTexts, type TokenTexts } from "../../eval/report/token-texts.ts";
import type { Store } from "../../store/store.ts";
import { readShown, type Shown } from "./detail.ts";

export interface TrajectoryShelf {
  read(run: string, id: string): Promise<Shown>;
  /** It has changed: the next look reads it anew. */
  forget(run: string, id: string): void;
}

const KEPT = 8;
/** A reward may be added, and a run deleted, while somebody looks. */
const KEPT_MS = 5_000;
const TOKENIZERS = 4;

export function createTrajectoryShelf(store: Store, now: () => number): TrajectoryShelf {
  const kept = new Map<string, { readonly at: number; readonly shown: Promise<Shown> }>();
  const tokenizers = new Map<string, Promise<TokenTexts | undefined>>();
  const textsOf = async (run: string): Promise<TokenTexts | undefined> => {
    const reading = tokenizers.get(run) ?? readTokenTexts(store.root, run);
    tokenizers.set(run, reading);
    for (const old of [...tokenizers.keys()].slice(0, -TOKENIZERS)) tokenizers.delete(old);
    const texts = await reading;
    // A training writes its tokenizer with its first checkpoint, so that it may come later.
    if (texts === undefined) tokenizers.delete(run);
    return texts;
  };
  return {
    forget: (run, id) => void kept.delete(`${run} ${id}`),
    read: async (run, id) => {
      const key = `${run} ${id}`;
      const known = kept.get(key);
      if (known !== undefined && now() - known.at < KEPT_MS) return await known.shown;
      const shown = readShown(store, run, id, textsOf(run));
      kept.delete(key);
      kept.set(key, { at: now(), shown });
      for (const old of [...kept.keys()].slice(0, -KEPT)) kept.delete(old);
      shown.catch(() => kept.delete(key));
      return await shown;
    },
  };
}
