/** Record: capture of agents that run elsewhere, as trajectories in the store. */
export { createRecorder } from "./recorder/index.ts";
