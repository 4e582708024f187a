/** What the server says to a question, kept up to date while the page is open. */
import { createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Answer, EndpointName, Meta } from "../../../src/serve/api.ts";
import { createClient, type Call, type Client } from "./client.ts";
import { toFailure, type Failure } from "./failure.ts";

export const ClientContext = createContext<Client>(createClient());
export const MetaContext = createContext<Meta | undefined>(undefined);

export interface Asked<Value> {
  /** The last answer; it stays while a newer one is on its way. */
  readonly value: Value | undefined;
  readonly failure: Failure | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
}

export function useClient(): Client {
  return useContext(ClientContext);
}

/** Asks again when the question changes; `undefined` asks nothing. */
export function useAnswer<Name extends EndpointName>(
  name: Name,
  call: Omit<Call<Name>, "signal"> | undefined,
): Asked<Answer<Name>> {
  const client = useClient();
  const [round, setRound] = useState(0);
  const question = call === undefined ? undefined : JSON.stringify([name, call]);
  const [state, setState] = useState<{ of?: string; value?: Answer<Name>; failure?: Failure; loading: boolean }>({
    loading: question !== undefined,
  });
  const latest = useRef(call);
  latest.current = call;

  useEffect(() => {
    if (question === undefined) return setState({ loading: false });
    const stop = new AbortController();
    setState((held) => ({ ...held, loading: true }));
    client.call(name, { ...(latest.current as Call<Name>), signal: stop.signal }).then(
      (value) => setState({ of: question, value, loading: false }),
      (error: unknown) => {
        if (!stop.signal.aborted) setState({ of: question, failure: toFailure(error), loading: false });
      },
    );
    return () => stop.abort();
  }, [client, name, question, round]);

  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { value: state.value, failure: state.failure, loading: state.loading, reload };
}
