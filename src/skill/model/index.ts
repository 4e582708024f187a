/** The analyst that asks a chat model: its request, how its answers are read, and the analyst itself. */
export { createModelAnalyst, modelAnalystOptions, type ModelAnalystOptions } from "./model.ts";
