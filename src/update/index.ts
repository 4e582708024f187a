/** Update: one update of a training, from fresh episodes to changed weights. */
export { CORRECTIONS, DEFAULT_CORRECTION, type Correction } from "./correction.ts";
export { POLICY_LOSSES } from "./objective-settings.ts";
export { providers, providersFor } from "./providers/index.ts";
export type { Provider } from "./providers/provider.ts";
export { withSupplier } from "./providers/who-supplies.ts";
export { phases, type Phase, type Workbench } from "./workbench.ts";
