/** The fleet behind a Redis server, looked at when a page asks. */
import { EngineError } from "limbeck-base/base/errors";
import { connectRedis } from "limbeck-remote/fleet/connection";
import type { FleetState } from "limbeck-remote/fleet/fleet-report";
import { readFleet } from "limbeck-remote/fleet/fleet-state";

export interface FleetView {
  read(): Promise<FleetState>;
  close(): void;
}

/** Pages ask every few seconds, each for itself; one look serves all that ask within this time. */
const FRESH_MS = 1_000;

/** Fails when no server answers at first. `read` reports one that goes away later; it reconnects by itself. */
export async function openFleetView(url: string, now: () => number): Promise<FleetView> {
  const redis = await connectRedis(url);
  let last: { readonly at: number; readonly state: Promise<FleetState> } | undefined;
  return {
    read: async () => {
      // Its commands would wait until it is back; a page wants to know now.
      if (redis.status !== "ready") {
        throw new EngineError("redis-away", "The Redis server of the fleet does not answer; the studio tries again.");
      }
      if (last === undefined || now() - last.at >= FRESH_MS) last = { at: now(), state: readFleet(redis) };
      try {
        return await last.state;
      } catch (error) {
        last = undefined;
        throw error;
      }
    },
    close: () => redis.disconnect(),
  };
}
