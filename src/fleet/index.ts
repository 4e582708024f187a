/** Fleet: rollouts on any number of machines, over Redis; what dies is done again, and what is done twice is stored once. */
export type { AgentSpec, PolicyAddress, PolicyFiles, RolloutJob, Speech } from "./job.ts";
export { connectRedis } from "./connection.ts";
export { openFleetAway, type FleetAwayOptions } from "./fleet-away.ts";
export type { FleetState, ParkedJob, QueueState, WorkerReport } from "./fleet-report.ts";
export { limitWorld, readFleet, retryParked } from "./fleet-state.ts";
export type { Parked } from "./parked.ts";
export { describePolicy } from "./policy-files.ts";
export { rollOutOnFleet, type FleetProgress, type FleetRequest, type FleetResult } from "./roll-out-on-fleet.ts";
export { startWorker, type FleetWorker, type WorkerEvent, type WorkerOptions } from "./worker.ts";
