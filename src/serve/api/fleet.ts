/** The fleet: workers, queues and what was given up, as `limbeck fleet` shows them. */
import { z } from "zod";
import { FleetStateSchema } from "../../fleet/fleet-report.ts";

export type { FleetState as Fleet } from "../../fleet/fleet-report.ts";

/** Null where the studio was started without `--redis`. */
export const fleetAnswer = z.object({ fleet: FleetStateSchema.nullable() });
