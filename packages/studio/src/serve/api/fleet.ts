/** The fleet: workers, queues and what was given up, as `limbeck fleet` shows them. */
import { z } from "zod";
import { FleetStateSchema } from "limbeck-remote/fleet/fleet-report";

export type { FleetState as Fleet } from "limbeck-remote/fleet/fleet-report";

/** Null where the studio was started without `--redis`. */
export const fleetAnswer = z.object({ fleet: FleetStateSchema.nullable() });
