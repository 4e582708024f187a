/**
 * Wordings of episode skills. Those of the statistics analyst are among the trained ones, taken from its own functions.
 * Wordings that are kept back are for the model card: nothing in the training data is written like them.
 */
import { pick } from "../../packages/base/src/base/rng.ts";
import type { Rng } from "limbeck";
import type { Goal } from "../../packages/worlds/src/household/goal.ts";
import { avoidanceText, workflowText, type Avoidance } from "../../packages/core/src/skill/statistics/wording.ts";
import { capital, otherWords } from "./command-words.ts";

export type WordingSet = "trained" | "keptBack";

const LEADS: readonly string[] = [
  "",
  "",
  "Do this: ",
  "Follow these steps: ",
  "Steps: ",
  "Plan: ",
  "Workflow: ",
  "What worked: ",
  "This way works: ",
  "To finish the task: ",
  "A good way is: ",
  "In this room: ",
  "An earlier try succeeded like this: ",
  "Success came from this: ",
];

const ENDS: readonly string[] = [
  "",
  "",
  "",
  " Then the task is done.",
  " Nothing else is needed.",
  " Do not stop before the end.",
];

type Joined = (steps: readonly string[]) => string;

const joins: readonly Joined[] = [
  (steps) => `${steps.join("; ")}.`,
  (steps) => `${steps.join(", ")}.`,
  (steps) => `${steps.join(", then ")}.`,
  (steps) => `${steps.map(capital).join(". ")}.`,
  (steps) => steps.join(" -> "),
  (steps) => steps.map((step, at) => `${at + 1}. ${step}`).join(" "),
  (steps) => steps.map((step, at) => `(${at + 1}) ${step}`).join(", "),
  (steps) => `First ${steps.slice(0, -1).join(", then ")}${steps.length > 1 ? ", and finally " : ""}${steps.at(-1)}.`,
];

const keptBackForms: readonly Joined[] = [
  (steps) => `Here is what an earlier agent did right: ${steps.join(", next ")}.`,
  (steps) => `Recipe | ${steps.join(" | ")}`,
  (steps) => steps.map((step, at) => `Step ${at + 1}: ${step}.`).join(" "),
  (steps) => `You will win if you ${steps.join(" and after that ")}.`,
  (steps) => `Proven path for this house => ${steps.join(" => ")}`,
  (steps) =>
    `Remember: begin with ${steps[0]}. ${steps
      .slice(1)
      .map((step) => `Afterwards ${step}.`)
      .join(" ")}`,
];

/** A list of commands as advice. In a share of the cases the commands themselves are put into other words. */
export function writeWorkflow(commands: readonly string[], rng: Rng, set: WordingSet): string {
  if (set === "trained" && rng.float() < 0.35) return workflowText(commands);
  const reworded = rng.float() < (set === "trained" ? 0.45 : 0.3);
  const steps = reworded
    ? commands.map((command) => (rng.float() < 0.6 ? otherWords(command, rng, set) : command))
    : commands;
  if (set === "keptBack") return (pick(keptBackForms, rng) as Joined)(steps);
  return `${pick(LEADS, rng)}${(pick(joins, rng) as Joined)(steps)}${pick(ENDS, rng)}`;
}

/** Advice that names kinds of things only: it tells what the errand turns on and leaves the search to the reader. */
export function writeGeneral(goal: Goal, appliance: string | undefined, rng: Rng, set: WordingSet): string {
  return (pick((set === "trained" ? generalForms : keptBackGeneral)(goal, appliance), rng) as string).trim();
}

function generalForms({ thing, target, underLamp, treatment, count }: Goal, appliance = ""): readonly string[] {
  if (underLamp) {
    return [
      `Find the ${thing}, take it to the ${target} and use the ${target}.`,
      `Hold the ${thing} and switch on the ${target}.`,
      `Looking is not enough: with the ${thing} in hand, use the ${target}.`,
      `Take the ${thing}, go where the ${target} is, then turn the ${target} on.`,
    ];
  }
  if (treatment !== undefined) {
    return [
      `Find the ${thing}, ${treatment} it with the ${appliance}, then move it to the ${target}.`,
      `The ${appliance} can ${treatment} the ${thing}. Do that before you bring it to the ${target}.`,
      `Take the ${thing} to the ${appliance} first and ${treatment} it there; then go to the ${target}.`,
      `Look for the ${thing}, take it, ${treatment} it in the ${appliance} and put it in the ${target}.`,
    ];
  }
  if (count === 2) {
    return [
      `One ${thing} is not enough: bring a second ${thing} to the ${target} too.`,
      `Take a ${thing}, move it to the ${target}, then find another ${thing} and move it there as well.`,
      `Bring both, one after the other. Leave the first ${thing} in the ${target}.`,
      `After the first ${thing}, search for the other ${thing} and move it to the same ${target}.`,
    ];
  }
  return [
    `Find the ${thing}, take it, go to the ${target} and move it there.`,
    `To put something down, use the command move: move the ${thing} to the ${target}.`,
    `Look for the ${thing}; then move it to the ${target}.`,
    `Take the ${thing} and move it to the ${target}. The word put is not understood.`,
  ];
}

function keptBackGeneral({ thing, target, underLamp, treatment, count }: Goal, appliance = ""): readonly string[] {
  if (underLamp)
    return [
      `Carry the ${thing} over to the ${target}, then use it.`,
      `The ${target} must be lit while you hold the ${thing}.`,
    ];
  if (treatment !== undefined) {
    return [
      `Only the ${appliance} is able to ${treatment} things here; visit it with the ${thing} before the ${target}.`,
      `Remember to ${treatment} the ${thing} at the ${appliance} on the way to the ${target}.`,
    ];
  }
  if (count === 2)
    return [
      `Two of them are wanted: when the first ${thing} is in the ${target}, get the next one.`,
      `Do not rest until a second ${thing} lies in the ${target}.`,
    ];
  return [
    `Once you stand at the ${target} with the ${thing}, say move and not put.`,
    `Carry the ${thing} to the ${target} and move it in.`,
  ];
}

/** What went wrong in a failed episode, and perhaps what to do instead. */
export function writeAvoidance(avoidance: Avoidance, rng: Rng, set: WordingSet): string {
  if (set === "trained" && rng.float() < 0.5) return avoidanceText(avoidance);
  const { refused = [], useless = [], leadsBack = [], repeated = [], instead, workflow = [] } = avoidance;
  const bad = [...new Set([...refused, ...useless, ...repeated, ...leadsBack])].slice(0, 3);
  const parts: string[] = [];
  if (instead !== undefined)
    parts.push((pick(set === "trained" ? insteadForms : keptBackInstead, rng) as Pair)(instead.did, instead.sibling));
  else if (bad.length > 0) parts.push((pick(set === "trained" ? avoidForms : keptBackAvoid, rng) as Joined)(bad));
  if (workflow.length > 0) parts.push(writeWorkflow(workflow, rng, set));
  return parts.join(" ");
}

type Pair = (did: string, better: string) => string;

const insteadForms: readonly Pair[] = [
  (did, better) => `Do not ${did}; ${better} instead.`,
  (did, better) => `Instead of ${did}: ${better}.`,
  (did, better) => `${capital(did)} did not help. ${capital(better)} does.`,
  (did, better) => `Avoid: ${did}. Better: ${better}.`,
  (did, better) => `Wrong: ${did}. Right: ${better}.`,
  (did, better) => `Rather than ${did}, ${better}.`,
];

const keptBackInstead: readonly Pair[] = [
  (did, better) => `A mistake to stay clear of is "${did}"; what wins is "${better}".`,
  (did, better) => `Choose ${better} over ${did}.`,
];

const avoidForms: readonly Joined[] = [
  (bad) => `Avoid ${bad.join(", ")}.`,
  (bad) => `Do not ${bad.join(" or ")}.`,
  (bad) => `These do nothing here: ${bad.join("; ")}.`,
  (bad) => `Never ${bad.join(", never ")}. Finish the task instead.`,
  (bad) => `The last try failed with: ${bad.join("; ")}.`,
];

const keptBackAvoid: readonly Joined[] = [
  (bad) => `It is a waste of time to ${bad.join(" or to ")}.`,
  (bad) => `Past failures came from: ${bad.join(" / ")}`,
];
