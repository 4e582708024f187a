/** Choosing skills for a goal, and writing them into a prompt. */
export { skillsForPrompt, type PromptSkills } from "./for-prompt.ts";
export { createSelector, type Choice, type Question, type Selector } from "../../record/recorder/selection/select.ts";
