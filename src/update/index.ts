/** Update: one update of a training, from fresh episodes to changed weights. */
export { agentFor, type AgentRequest } from "./agent.ts";
export { collect } from "./collect.ts";
export {
  drawsOf,
  keep,
  measure,
  type Provider,
  type TrainedModel,
  type TrainingParts,
  type UpdateContext,
} from "./context.ts";
export { CORRECTIONS, DEFAULT_CORRECTION, type Correction } from "./correction.ts";
export { credit, type CreditingOptions } from "./credit.ts";
export { learn, type PolicyLoss, type WholeLoss } from "./learn.ts";
export type { Cost, Ledger } from "./ledger.ts";
export type { Told } from "./play-told.ts";
export { providers, providersFor } from "./providers/index.ts";
export { phases, type Credited, type Phase, type Solution, type Taught, type UpdateRecord } from "./record.ts";
export { flattenSettings, nestSettings, sharedSettings, type Settings } from "./settings.ts";
export { demonstrate, solve } from "./solve.ts";
export { analyse, remember, teach, type TeachRequest } from "./teach.ts";
