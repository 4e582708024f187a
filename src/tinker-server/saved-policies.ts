/**
 * Policies of saved weights, opened once for all who sample from them. A training with a fleet asks thousands of times for
 * the same version; to read it from disk for each was 19 times slower.
 */
import type { LocalPolicy } from "../policy/local/index.ts";
import { createKept, type KeptConversations } from "./kept-conversations.ts";
import type { Speaking } from "./training-run.ts";

export interface SavedPolicies {
  use<T>(path: string, work: Speaking<T>): Promise<T>;
  /** After the checkpoint was deleted; who samples from it at the moment ends in peace. */
  forget(path: string): Promise<void>;
  close(): Promise<void>;
}

interface Opened {
  readonly policy: Promise<LocalPolicy>;
  readonly kept: KeptConversations;
  users: number;
  isForgotten: boolean;
}

/** Versions that stay open: the newest, and one that some workers still play. */
const KEPT_OPEN = 2;

export function createSavedPolicies(open: (path: string) => Promise<LocalPolicy>, keepTokens: number): SavedPolicies {
  /** The least recently used first. */
  const all = new Map<string, Opened>();
  const closeUnused = async (opened: Opened): Promise<void> => {
    if (!opened.isForgotten || opened.users > 0) return;
    // What did not open needs no closing; whoever asked for it was told.
    await opened.policy.then((policy) => policy.close()).catch(() => undefined);
  };
  const forget = async (path: string): Promise<void> => {
    const opened = all.get(path);
    if (opened === undefined) return;
    all.delete(path);
    opened.isForgotten = true;
    await closeUnused(opened);
  };
  return {
    use: async (path, work) => {
      const opened = all.get(path) ?? {
        policy: open(path),
        kept: createKept(keepTokens),
        users: 0,
        isForgotten: false,
      };
      all.delete(path);
      all.set(path, opened);
      opened.users += 1;
      try {
        const [oldest] = all.keys();
        if (all.size > KEPT_OPEN && oldest !== undefined) await forget(oldest);
        return await work(await opened.policy, opened.kept);
      } catch (error) {
        // What could not be opened is tried again the next time.
        await opened.policy.catch(() => forget(path));
        throw error;
      } finally {
        opened.users -= 1;
        await closeUnused(opened);
      }
    },
    forget,
    close: async () => {
      for (const path of all.keys()) await forget(path);
    },
  };
}
