/** GEMS: generate, check against a list, refine; a memory of all drafts keeps what was mended from breaking again. */
import { isObject } from "limbeck-base/base/json";
import { option } from "limbeck-base/base/option";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { firstLargest } from "../walk/shares.ts";
import { walkAll } from "./attempts.ts";
import { oneLine } from "./line-summary.ts";
import { defineSearch, type SearchScope } from "./search.ts";
import { isSolved } from "./worth.ts";

const LONGEST_DRAFT = 400;

export const gems = defineSearch({
  info: {
    title: "GEMS",
    paper: "GEMS: Agent-Native Multimodal Generation with Memory and Skills, arXiv 2603.28088",
    confidence: "code",
    source: "lcqysl/GEMS @ fec33ff6; agent/GEMS.py: GEMS.run",
    formula: [
      "generate = an attempt; verify = the world's parts, each passed when it is 1; refine = a new attempt that is told what failed",
      "with memory it is told of every draft so far: what passed and must stay, what failed, and what each draft was",
      "stops when every item of the list is passed, after `rounds` drafts, or when nothing can be paid",
      "chosen = the draft with most passed items; of equals the first",
    ],
    meaning:
      "Writes a draft, checks it against a list, and writes it again with a memory of what passed and failed so far.",
    departures: [
      "Text in the place of images: a draft is an episode, shown by its last action, cut to 400 characters. The list is what the world judges apart (info.parts); where it judges nothing apart the only item is success. Where outcomes are not in view neither is looked at: the only item is then whether a value function finds the end worth 1, and without one all drafts are written and the first is the answer.",
      "Published lists are made by a model from the task, and it answers each item of an image alone; an item is passed where the answer holds yes and does not hold no. Without a list one image is made and not checked. There all drafts have one list; here a draft's list is what its own episode was judged on, so a shorter list that is passed ends the search, and a draft with more passed items may still be chosen.",
      "With a text model what to change is written by it, in one call, beside the goal (800 characters); published are two, what the draft has taught and then a new prompt that takes the place of the old one, both with the images, the first with what the model thought before. There the lessons and prompts of all drafts stay in view; here what was written for a draft is not shown again, and goal and drafts are cut to 400 characters.",
      "Both show every draft with what failed; published code leaves what passed to the lesson of each draft. By rule there is the best draft, what it passed, and all that ever failed; published code asks to mend what failed in the latest.",
      "memory=no is ours; published code always keeps all drafts.",
      "Skills load on matching tasks by the selection of the library (rollout --library), not here; published code asks a model which skill fits and lets it rewrite the first prompt.",
    ],
  },
  options: {
    rounds: option.count(5, "drafts at most"),
    memory: option.flag(true, "tell a draft of all before it; no: of the last one's failed items alone"),
  },
  create: ({ rounds, memory }) => ({
    run: async (scope) => {
      const drafts: Draft[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const guidance = drafts.length === 0 ? {} : { guidance: await refinement(scope, drafts, memory) };
        const [end] = await walkAll(scope, [{ from: scope.root, ...guidance }]);
        if (end === undefined) break;
        const draft = checked(end, scope);
        drafts.push(draft);
        end.info = { ...end.info, checklist: { round: round + 1, passed: draft.passed, failed: draft.failed } };
        if (draft.failed.length === 0) break;
      }
      return mostPassed(drafts)?.end;
    },
  }),
});

interface Draft {
  readonly end: SearchNode;
  readonly text: string;
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

/** The last word of the world on each item. What scores an episode is not looked at where the search may not see outcomes. */
function checked(end: SearchNode, { seesOutcome }: SearchScope): Draft {
  const items = new Map<string, boolean>();
  for (const { step } of lineTo(end)) {
    const parts = seesOutcome ? step?.info?.["parts"] : undefined;
    if (isObject(parts)) for (const [name, value] of Object.entries(parts)) items.set(name, value === 1);
  }
  if (items.size === 0) items.set("success", seesOutcome ? end.success === true : isSolved(end));
  const named = (wanted: boolean): string[] => [...items].flatMap(([name, ok]) => (ok === wanted ? [name] : []));
  return { end, text: oneLine(end.step?.action ?? "", LONGEST_DRAFT), passed: named(true), failed: named(false) };
}

/** Of equals the first. */
function mostPassed(drafts: readonly Draft[]): Draft | undefined {
  return firstLargest(drafts, ({ passed }) => passed.length);
}

async function refinement(scope: SearchScope, drafts: readonly Draft[], memory: boolean): Promise<string> {
  const last = drafts.at(-1) as Draft;
  const told = memory ? drafts : [last];
  const ruled = memory ? remembered(drafts) : `Mend: ${last.failed.join(", ")}.`;
  const written = await scope.ask(
    `Goal: ${oneLine(scope.task.goal, LONGEST_DRAFT)}\n${told.map(({ text, passed, failed }, at) => `Draft ${at + 1}: ${text}\nPassed: ${passed.join(", ") || "nothing"}. Failed: ${failed.join(", ") || "nothing"}.`).join("\n")}\n\nSay in a few sentences what the next draft has to change, and what it must keep.`,
  );
  return written === undefined ? ruled : oneLine(written, 2 * LONGEST_DRAFT);
}

/** Facts of the best draft, and what each draft has taught. */
function remembered(drafts: readonly Draft[]): string {
  const ever = [...new Set(drafts.flatMap(({ failed }) => failed))];
  const { text, passed } = mostPassed(drafts) as Draft;
  return `Best draft so far: ${text} Keep: ${passed.join(", ") || "nothing"}. Mend: ${ever.join(", ")}.`;
}
