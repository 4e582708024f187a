/** Update: one update of a training, from fresh episodes to changed weights. */
export { agentFor, type AgentRequest } from "./agent.ts";
export { collect } from "./collect.ts";
export {
  createContext,
  drawsOf,
  keep,
  measure,
  phases,
  type Phase,
  type TrainedModel,
  type TrainingParts,
  type UpdateContext,
  type UpdateRecord,
} from "./context.ts";
export { CORRECTIONS, DEFAULT_CORRECTION, type Correction } from "./correction.ts";
export { credit, type Credited, type CreditingOptions } from "./credit.ts";
export { learn, type PolicyLoss, type WholeLoss } from "./learn.ts";
export type { Cost, Ledger } from "./ledger.ts";
export { playPlans, playTold, type Told, type ToldRequest } from "./play-told.ts";
export { providers, providersFor } from "./providers/index.ts";
export { defineProvider, type Provider } from "./providers/provider.ts";
export { withSupplier } from "./providers/who-supplies.ts";
export { sharedSettings, type Settings } from "./settings.ts";
export { demonstrate, solve, type Solution } from "./solve.ts";
export { analyse, remember, teach, type Taught, type TeachRequest } from "./teach.ts";
