/**
 * Conversations that may go on. The protocol sends the whole prompt with every turn; one that begins with everything an
 * earlier conversation held goes on from there, and only what is new is read. That is faster, and it takes tokens in the
 * same portions as a conversation in one process, so that the numbers are the same to the last bit.
 */
import { KeptOpen } from "limbeck-base/base/recent";
import type { Conversation } from "limbeck-policy/policy/policy";
import type { LocalPolicy } from "limbeck-policy/policy/local/local-policy";

export interface KeptConversations {
  /** The longest one that the prompt begins with. */
  find(prompt: Int32Array): Conversation | undefined;
  keep(talk: Conversation): void;
  /** After the weights changed, when nothing that was read is worth anything. */
  clear(): void;
}

/** Works with a policy of certain weights, and the conversations that were held with it. */
export type Speaking<T> = (policy: LocalPolicy, kept: KeptConversations) => Promise<T>;

export function createKept(limitTokens: number): KeptConversations {
  /** By length and hash, the least recently used first. */
  const kept = new Map<string, Conversation>();
  let tokens = 0;
  const drop = (key: string, talk: Conversation): void => {
    kept.delete(key);
    tokens -= talk.tokens.length;
  };
  return {
    find: (prompt) => {
      const keys = prefixKeys(prompt);
      for (let length = prompt.length; length >= 1; length -= 1) {
        const key = keys[length] as string;
        const talk = kept.get(key);
        if (talk === undefined || !beginsWith(prompt, talk.tokens)) continue;
        kept.delete(key);
        kept.set(key, talk);
        return talk;
      }
      return undefined;
    },
    keep: (talk) => {
      const held = talk.tokens;
      if (held.length > limitTokens) return;
      const key = prefixKeys(held)[held.length] as string;
      const old = kept.get(key);
      if (old !== undefined) drop(key, old);
      kept.set(key, talk);
      tokens += held.length;
      for (const [oldest, other] of kept) {
        if (tokens <= limitTokens) break;
        drop(oldest, other);
      }
    },
    clear: () => {
      kept.clear();
      tokens = 0;
    },
  };
}

/** One key for every beginning, in one pass; equal keys are compared token by token. */
function prefixKeys(tokens: Int32Array): string[] {
  const keys = ["0:0"];
  let hash = 0x811c9dc5;
  for (let at = 0; at < tokens.length; at += 1) {
    hash = Math.imul(hash ^ (tokens[at] as number), 0x01000193);
    keys.push(`${at + 1}:${hash}`);
  }
  return keys;
}

function beginsWith(prompt: Int32Array, beginning: Int32Array): boolean {
  return beginning.length <= prompt.length && beginning.every((token, at) => token === prompt[at]);
}

// Policies of saved weights, opened once for all callers. A training with a fleet asks thousands of times for
// the same version; to read it from disk for each was 19 times slower.

export interface SavedPolicies {
  use<T>(path: string, work: Speaking<T>): Promise<T>;
  /** After the checkpoint was deleted; running samples end normally. */
  forget(path: string): Promise<void>;
  close(): Promise<void>;
}

/** Versions that stay open: the newest, and one that some workers still play. */
const KEPT_OPEN = 2;

export function createSavedPolicies(open: (path: string) => Promise<LocalPolicy>, keepTokens: number): SavedPolicies {
  const all = new KeptOpen<{ readonly policy: LocalPolicy; readonly kept: KeptConversations }>(
    KEPT_OPEN,
    async ({ policy }) => await policy.close(),
  );
  return {
    use: (path, work) =>
      all.use(
        path,
        async () => ({ policy: await open(path), kept: createKept(keepTokens) }),
        ({ policy, kept }) => work(policy, kept),
      ),
    forget: (path) => all.drop(path),
    close: () => all.close(),
  };
}
