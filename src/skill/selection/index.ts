/** Choosing skills for a goal, and writing them into a prompt. */
export { promptText, skillsForPrompt, type PromptSkills } from "./for-prompt.ts";
export { choiceRecord, createSelector, type Choice, type Question, type Selector } from "./select.ts";
