/** A run as it was asked for, kept up to date by its events. */
import { useEffect, useState } from "preact/hooks";
import type { RunDetail, RunEvents } from "../../../../src/serve/api.ts";
import { useStream, type Heard } from "../../client/use-stream.ts";
import { applyRunEvent, startLive, type LiveRun } from "./live-run.ts";

export function useLiveRun(
  run: string,
  first: RunDetail | undefined,
): { readonly live: LiveRun | undefined; readonly heard: Heard } {
  const [live, setLive] = useState<LiveRun>();
  useEffect(() => {
    // Asked for again, a run is newer; what arrived while the page was open stays in sight.
    if (first !== undefined) setLive((held) => (held === undefined ? startLive(first) : { ...held, detail: first }));
  }, [first]);
  const heard = useStream(first === undefined ? null : run, (event, data) =>
    setLive((held) => held && applyRunEvent(held, event as keyof RunEvents, data as RunEvents[keyof RunEvents])),
  );
  return { live, heard };
}
