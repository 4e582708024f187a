/**
 * Search: how an agent walks through a world: agents and prompts, rollout strategies, searches and their values,
 * experts and skills to choose.
 */

// Agents
export { defineAgent } from "limbeck-core/walk/mind/define-agent";
export { createTokenAgent } from "limbeck-core/walk/mind/token-agent";
export { createTextAgent } from "limbeck-core/walk/mind/text-agent";
export { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
export { plainForm, taggedForm } from "limbeck-core/walk/mind/action-form";
export { contextAction } from "limbeck-core/walk/mind/context-action";
export { appendOnly, rebuiltPrompts } from "limbeck-core/walk/mind/prompter";
export { memoryPrompts } from "limbeck-core/walk/mind/memory-prompts";

// Rollouts
export { rollOut } from "limbeck-core/walk/line/roll-out";
export { strategies, createStrategy } from "limbeck-core/rollout/registry";
export type { Walk } from "limbeck-core/walk/line/strategy";
export type { Budget } from "limbeck-core/walk/purse";
export type { OutcomeScorer } from "limbeck-core/walk/judge";

// Searches
export { searches, createSearch } from "limbeck-core/search/registry";
export { bestOf } from "limbeck-core/search/worth";
export { runSearch } from "limbeck-core/walk/tree/run-search";
export { searchTasks, type SearchOutcome } from "limbeck-core/walk/tree/search-tasks";
export type { Search, SearchScope, Value } from "limbeck-core/walk/tree/search";
export type { SearchNode } from "limbeck-core/walk/tree/node";
export { values, createValue } from "limbeck-core/search/values/index";
export { defineValue } from "limbeck-core/search/values/value";

// Experts and skills as actions
export { withExperts } from "limbeck-core/orchestrate/with-experts";
export { createDemonstratorExpert, createTextExpert, type Expert } from "limbeck-core/orchestrate/expert";
export { withSkillChoice } from "limbeck-core/orchestrate/skills/with-skill-choice";
export { emptyShelf, shelfFromJson, shelfToJson, visitOf } from "limbeck-core/orchestrate/skills/shelf";
