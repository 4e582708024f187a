/** A session on a trainer. Models live as long as it does, so it is kept alive in the background. */
import { errorData } from "../../base/index.ts";
import type { TinkerHttp } from "./http.ts";
import { readAs, sessionSchema } from "./wire.ts";

export interface TinkerSession {
  readonly id: string;
  close(): void;
}

export interface SessionOptions {
  /** Between two signs of life. Default: 10 s. */
  readonly heartbeatMs?: number;
  readonly tags?: readonly string[];
  readonly onNotice?: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** The version of the official client whose JSON form is spoken here. */
export const SDK_VERSION = "0.24.1";
/** Silence after which there is a notice. */
const COMPLAIN_MS = 120_000;

export async function openSession(http: TinkerHttp, options: SessionOptions = {}): Promise<TinkerSession> {
  const { heartbeatMs = 10_000, tags = ["limbeck"], onNotice = () => undefined, signal } = options;
  const body = { tags, user_metadata: null, sdk_version: SDK_VERSION, type: "create_session" };
  const what = "create_session";
  const said = readAs(sessionSchema, await http.json(`/api/v1/${what}`, { body, what, signal }), what);
  for (const message of [said.info_message, said.warning_message, said.error_message]) {
    if (message !== null && message !== undefined && message !== "") onNotice(`The trainer says: ${message}`);
  }
  let heard = http.clock.now();
  let complained = false;
  let busy = false;
  const beat = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    try {
      await http.json("/api/v1/session_heartbeat", {
        body: { session_id: said.session_id, type: "session_heartbeat" },
        what: "session_heartbeat",
        attempts: 1,
      });
      heard = http.clock.now();
      complained = false;
    } catch (error) {
      if (!complained && http.clock.now() - heard >= COMPLAIN_MS) {
        complained = true;
        onNotice(`The trainer has not answered for ${COMPLAIN_MS / 1_000} s: ${errorData(error).message}`);
      }
    } finally {
      busy = false;
    }
  };
  // The first one at once: a server may count a session's age from its last sign of life.
  await beat();
  const timer = setInterval(() => void beat(), heartbeatMs);
  timer.unref();
  return { id: said.session_id, close: () => clearInterval(timer) };
}
