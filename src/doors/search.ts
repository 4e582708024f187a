/**
 * Search: how an agent walks through a world: agents and prompts, rollout strategies, searches and their values,
 * experts and skills to choose.
 */

// Agents
export { defineAgent } from "../walk/mind/define-agent.ts";
export { createTokenAgent } from "../walk/mind/token-agent.ts";
export { createTextAgent } from "../walk/mind/text-agent.ts";
export { createDemonstratorAgent } from "../walk/mind/demonstrator-agent.ts";
export { plainForm, taggedForm } from "../walk/mind/action-form.ts";
export { contextAction } from "../walk/mind/context-action.ts";
export { appendOnly, rebuiltPrompts } from "../walk/mind/prompter.ts";
export { memoryPrompts } from "../walk/mind/memory-prompts.ts";

// Rollouts
export { rollOut } from "../walk/line/roll-out.ts";
export { strategies, createStrategy } from "../rollout/registry.ts";
export type { Walk } from "../walk/line/strategy.ts";
export type { Budget } from "../walk/purse.ts";
export type { OutcomeScorer } from "../walk/judge.ts";

// Searches
export { searches, createSearch } from "../search/registry.ts";
export { bestOf } from "../search/worth.ts";
export { runSearch } from "../walk/tree/run-search.ts";
export { searchTasks, type SearchOutcome } from "../walk/tree/search-tasks.ts";
export type { Search, SearchScope, Value } from "../walk/tree/search.ts";
export type { SearchNode } from "../walk/tree/node.ts";
export { values, createValue } from "../search/values/index.ts";
export { defineValue } from "../search/values/value.ts";

// Experts and skills as actions
export { withExperts } from "../orchestrate/with-experts.ts";
export { createDemonstratorExpert, createTextExpert, type Expert } from "../orchestrate/expert.ts";
export { withSkillChoice } from "../orchestrate/skills/with-skill-choice.ts";
export { emptyShelf, shelfFromJson, shelfToJson, visitOf } from "../orchestrate/skills/shelf.ts";
