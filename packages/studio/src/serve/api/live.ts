/** The event stream of a run and of the whole store. Every message is `event: NAME`, `id: COMMIT`, `data: JSON`. */
import { z } from "zod";
import { point } from "./base.ts";
import { evaluation, notice, runItem } from "./runs.ts";
import { trajectoryItem } from "./trajectories.ts";

/** Sent first, and again after a reconnection; `commit` is what the client has seen when it sends Last-Event-ID. */
const hello = z.object({ commit: z.int(), run: runItem });
/** Values of an update that became visible. */
const metrics = z.object({ values: z.array(z.object({ name: z.string(), point })) });
const evaluations = z.object({ evaluations: z.array(evaluation) });
const notices = z.object({ notices: z.array(notice) });
/** Episodes that became visible, newest first; at most 50, `count` says how many there were. */
const trajectories = z.object({ count: z.int(), trajectories: z.array(trajectoryItem) });
/** The run's line in the list after a commit. */
const state = z.object({ run: runItem });
/** The run is gone, or cannot be read any more; nothing follows. */
const gone = z.object({ code: z.string(), message: z.string() });

export const runEvents = { hello, metrics, evaluations, notices, trajectories, state, gone };
export type RunEvents = { readonly [Name in keyof typeof runEvents]: z.infer<(typeof runEvents)[Name]> };

/** Of the whole store: which runs changed. `gone` names runs that were deleted. */
const changes = z.object({ runs: z.array(runItem), gone: z.array(z.string()) });
export const storeEvents = { changes };
export type StoreEvents = { readonly [Name in keyof typeof storeEvents]: z.infer<(typeof storeEvents)[Name]> };
