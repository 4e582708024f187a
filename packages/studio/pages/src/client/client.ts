/** Typed calls of the server. */
import type { Answer, Body, EndpointName, Query } from "../../../src/serve/api.ts";
import { addresses } from "./endpoints.ts";
import { Failure, readFailure, toFailure } from "./failure.ts";
import { readStream, type StreamMessage } from "./stream.ts";

export interface Call<Name extends EndpointName> {
  /** For the `{run}` or `{arena}` of the path. */
  readonly of?: string;
  readonly query?: Query<Name>;
  readonly body?: Body<Name>;
  readonly signal?: AbortSignal;
}

export interface Client {
  call<Name extends EndpointName>(name: Name, call?: Call<Name>): Promise<Answer<Name>>;
  /** Server-sent events of `/api/events` or of one run, until the signal fires or the server ends them. */
  listen(of: string | undefined, since: string | undefined, signal: AbortSignal): AsyncIterable<StreamMessage>;
}

/** The token is in a cookie that no script can read; the browser sends it. */
export function createClient(): Client {
  const request = async (address: string, init: RequestInit): Promise<Response> => {
    try {
      const answer = await fetch(address, { ...init, credentials: "same-origin", cache: "no-store" });
      if (answer.ok) return answer;
      throw await readFailure(answer);
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw toFailure(error);
    }
  };
  return {
    call: async (name, { of, query, body, signal } = {}) => {
      const { method, path } = addresses[name];
      const answer = await request(addressOf(path, of, query), {
        method: method.toUpperCase(),
        ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      try {
        return (await answer.json()) as Answer<typeof name>;
      } catch (error) {
        if (signal?.aborted === true) throw error;
        throw new Failure("bad-answer", "The server's answer broke off or is no JSON.", answer.status, {
          cause: error,
        });
      }
    },
    listen: async function* (of, since, signal) {
      const path = of === undefined ? "/api/events" : "/api/runs/{run}/events";
      const answer = await request(addressOf(path, of, undefined), {
        headers: { accept: "text/event-stream", ...(since === undefined ? {} : { "last-event-id": since }) },
        signal,
      });
      if (answer.body !== null) yield* readStream(answer.body);
    },
  };
}

function addressOf(path: string, of: string | undefined, query: object | undefined): string {
  const filled = path.replace(/\{\w+\}/, () => encodeURIComponent(of ?? "").replaceAll(".", "%2E"));
  const settings = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}) as [string, unknown][]) {
    if (value === undefined || value === null || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) settings.append(name, String(one));
  }
  const tail = settings.toString();
  return `.${filled}${tail === "" ? "" : `?${tail}`}`;
}
