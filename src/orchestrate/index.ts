/** Orchestrate: worlds around a world, in which a policy chooses whom to ask or which of its skills to use. */
export type { Advice, Expert, Question } from "./expert.ts";
export { createDemonstratorExpert, type DemonstratorExpertOptions } from "./expert.ts";
export { createTextExpert, type TextExpertOptions } from "./expert.ts";
export {
  emptyShelf,
  shelfFromJson,
  shelfToJson,
  type RetrieveOptions,
  type Shelf,
  type ShelfSkill,
  type Visit,
} from "./skills/shelf.ts";
export { visitOf, type EpisodeVisit } from "./skills/shelf.ts";
export { withSkillChoice, type SkillChoiceOptions } from "./skills/with-skill-choice.ts";
export { withExperts, type OrchestratedEnv, type OrchestrationOptions } from "./with-experts.ts";
