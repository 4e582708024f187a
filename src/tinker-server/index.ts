/** Trainer: the local policy, or PyTorch, behind the Tinker protocol, so that another machine or a GPU can train with it. */
export { startTrainer, type Trainer, type TrainerOptions } from "./server.ts";
export { startTorchTrainer, type TorchTrainer, type TorchTrainerOptions } from "./torch-trainer.ts";
export type { WorkshopOptions } from "./workshop.ts";
