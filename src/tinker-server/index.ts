/** Trainer: the local policy behind the Tinker protocol, so that another machine can train with it. */
export { startTrainer, type Trainer, type TrainerOptions } from "./server.ts";
export type { WorkshopOptions } from "./workshop.ts";
