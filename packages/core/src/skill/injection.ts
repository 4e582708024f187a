/**
 * Puts skills into a prompt at fixed places: the episode section after the line that names the task, the step section
 * before the sentence that hands over the turn. Without such lines both are appended.
 */
import type { Task } from "limbeck-base/trajectory/trajectory";
import { anchorPresets, sectionTemplates, type Anchors, type SectionTemplate } from "./templates.ts";

export interface InjectedSkills {
  readonly episodeSkill?: string | undefined;
  readonly stepSkill?: string | undefined;
}

export interface InjectionOptions {
  /** Default: `published`. */
  readonly template?: SectionTemplate;
  readonly anchors?: Anchors;
}

/** The opening of an episode with the skill that its task gets; as it is where it gets none. For `withOpening` of rollouts. */
export function skillOpening(
  textFor: (task: Task) => string | undefined,
  injection: InjectionOptions = {},
): (observation: string, task: Task) => string {
  return (observation, task) => {
    const episodeSkill = textFor(task);
    return episodeSkill === undefined ? observation : augmentObservation(observation, { episodeSkill }, injection);
  };
}

/** A text that is whole already: it stands in the opening as it is. */
const WHOLE: SectionTemplate = { episode: (body) => body, step: (body) => body };

/** The same for a text that `promptText` has written. */
export function textOpening(textFor: (task: Task) => string | undefined): (observation: string, task: Task) => string {
  return skillOpening(textFor, { template: WHOLE });
}

interface Placed {
  readonly at: number;
  readonly section: string;
}

/**
 * A blank body gives no section. Places are found in the observation alone, so no skill can move another.
 *
 * @example
 * import { sectionTemplates } from "limbeck/skill";
 *
 * const told = augmentObservation("You are in a room.", { episodeSkill: "Open drawers first." }, { template: sectionTemplates.compact });
 * console.log(told.split("\n").at(-1)); // Skill: [Open drawers first.]
 */
export function augmentObservation(
  observation: string,
  { episodeSkill = "", stepSkill = "" }: InjectedSkills,
  { template = sectionTemplates.published, anchors = anchorPresets.published }: InjectionOptions = {},
): string {
  const text = observation.trim();
  const placed: Placed[] = [];
  const episodeBody = episodeSkill.trim();
  const stepBody = stepSkill.trim();
  if (episodeBody !== "") placed.push({ at: episodePlace(text, anchors), section: template.episode(episodeBody) });
  if (stepBody !== "") placed.push({ at: turnPlace(text, anchors), section: template.step(stepBody) });
  // A stable sort: at the same place the episode section stands first.
  placed.sort((left, right) => left.at - right.at);
  return splice(text, placed);
}

function episodePlace(text: string, anchors: Anchors): number {
  for (const anchor of anchors.task) {
    const at = text.indexOf(anchor);
    if (at === -1) continue;
    const end = text.indexOf("\n", at);
    return end === -1 ? text.length : end;
  }
  return turnPlace(text, anchors);
}

function turnPlace(text: string, anchors: Anchors): number {
  for (const anchor of anchors.turn) {
    const at = text.indexOf(anchor);
    if (at !== -1) return at;
  }
  return text.length;
}

/** What stands on either side is trimmed and parted by one blank line; the outer ends are trimmed already. */
function splice(text: string, placed: readonly Placed[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { at, section } of placed) {
    parts.push(text.slice(from, at).trim(), section);
    from = at;
  }
  parts.push(placed.length === 0 ? text : text.slice(from).trim());
  return parts.filter((part) => part !== "").join("\n\n");
}
