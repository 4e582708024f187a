/** Listens to the server's events, and comes back after a break with what was seen last. */
import { useEffect, useRef, useState } from "preact/hooks";
import { toFailure, type Failure } from "./failure.ts";
import { useClient } from "./use-answer.ts";

export type StreamState = "connecting" | "open" | "broken";

export interface Heard {
  readonly state: StreamState;
  readonly failure: Failure | undefined;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

/** `of` is the run; undefined listens to the whole store, null to nothing. */
export function useStream(of: string | undefined | null, hear: (event: string, data: unknown) => void): Heard {
  const client = useClient();
  const [state, setState] = useState<{ state: StreamState; failure?: Failure }>({ state: "connecting" });
  const latest = useRef(hear);
  latest.current = hear;

  useEffect(() => {
    if (of === null) return undefined;
    const stop = new AbortController();
    let since: string | undefined;
    const follow = async (): Promise<void> => {
      for (let pauseMs = FIRST_PAUSE_MS; !stop.signal.aborted; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
        try {
          for await (const message of client.listen(of, since, stop.signal)) {
            since = message.id ?? since;
            pauseMs = FIRST_PAUSE_MS;
            setState({ state: "open" });
            latest.current(message.event, JSON.parse(message.data));
            if (message.event === "gone") return;
          }
          if (!stop.signal.aborted) setState({ state: "connecting" });
        } catch (error) {
          if (stop.signal.aborted) return;
          const failure = toFailure(error);
          setState({ state: "broken", failure });
          // A key that is refused stays refused, and a run that is gone stays gone; only a lost connection comes back.
          if (failure.status >= 400 && failure.status < 500) return;
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    };
    void follow();
    return () => stop.abort();
  }, [client, of]);
  return { state: state.state, failure: state.failure };
}
