/** How a skill is written into a prompt, and where: section templates and anchors, by name. */
import { lookUp } from "limbeck-base/base/registry";

export interface SectionTemplate {
  readonly episode: (body: string) => string;
  readonly step: (body: string) => string;
}

/** Texts that mark a place in a prompt. Earlier ones are looked for first. */
export interface Anchors {
  /** The episode section follows the line that has one of these. */
  readonly task: readonly string[];
  /** Otherwise it stands before one of these, as a step section always does. */
  readonly turn: readonly string[];
}

export const sectionTemplates = {
  /** One line; for small models, whose context is short and whose reading is literal. */
  compact: {
    episode: (body) => `Skill: [${body}]`,
    step: (body) => `Hint: [${body}]`,
  },
  /** The published form: a bold title, an instruction that ends in a colon, the body in square brackets. */
  published: {
    episode: (body) => `**Episode Skill**\nKeep this in mind through the whole episode:\n[${body}]`,
    step: (body) => `**Step Skill**\nApply this to the present decision and to no later one:\n[${body}]`,
  },
} as const satisfies Record<string, SectionTemplate>;

const TASK = ["Your task is to:", "Your current task is:", "Your task is:", "Your question:"] as const;
const TURN = ["Now it's your turn to", "Now it's your turn"] as const;

/** The published anchors, and what the prompts of single worlds have beside them. */
export const anchorPresets = {
  published: { task: TASK, turn: TURN },
  alfworld: { task: TASK, turn: TURN },
  search: { task: [...TASK, "Question:"], turn: TURN },
  webshop: { task: [...TASK, "Instruction:"], turn: TURN },
} as const satisfies Record<string, Anchors>;

export function getSectionTemplate(id: string): SectionTemplate {
  return lookUp<SectionTemplate>(sectionTemplates, id, "section template");
}

export function getAnchorPreset(id: string): Anchors {
  return lookUp<Anchors>(anchorPresets, id, "anchor preset");
}
