/**
 * Sessions of programs that were closed, kept for the next program of the same graph and options. To make a session costs more than
 * to run a small one; a process that opens like models over and over, as tests do, says so with `keepSessions`.
 */
import { createHash } from "node:crypto";
import type { InferenceSession } from "onnxruntime-node";

export interface HeldSession {
  readonly session: InferenceSession;
  /** Hands it back: kept for the next, or gone. */
  readonly release: () => Promise<void>;
}

let most = 0;
/** Insertion order is the order in which they were handed back. */
const kept = new Map<InferenceSession, string>();

/** At most so many; each has the memory of its largest run. Default: none. */
export function keepSessions(count: number): void {
  most = count;
}

export async function holdSession(
  bytes: Uint8Array,
  options: object,
  create: () => Promise<InferenceSession>,
): Promise<HeldSession> {
  if (most === 0) {
    const session = await create();
    return { session, release: () => session.release() };
  }
  const key = createHash("sha256").update(bytes).update(JSON.stringify(options)).digest("base64");
  const session = take(key) ?? (await create());
  let isHeld = true;
  return {
    session,
    release: async () => {
      if (!isHeld) return;
      isHeld = false;
      kept.set(session, key);
      const [oldest] = kept.keys();
      if (kept.size <= most || oldest === undefined) return;
      kept.delete(oldest);
      await oldest.release();
    },
  };
}

function take(key: string): InferenceSession | undefined {
  for (const [session, made] of kept) {
    if (made !== key) continue;
    kept.delete(session);
    return session;
  }
  return undefined;
}
