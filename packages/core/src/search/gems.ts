/** GEMS: generate, check against a list, refine; a memory of all drafts keeps what was mended from breaking again. */
import { isObject } from "limbeck-base/base/json";
import { option } from "limbeck-base/base/option";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { firstLargest } from "../walk/shares.ts";
import { walkAll } from "./attempts.ts";
import { oneLine } from "./line-summary.ts";
import { defineSearch, type SearchScope } from "./search.ts";

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
      "Text in the place of images. The list is what the world judges apart (info.parts); where it judges nothing apart the only item is success.",
      "With a text model what to change is written by it, in one call; published are two, what the draft has taught and then the new prompt, both with the images. By rule the failed items are named.",
      "Published lists are made by a model from the task, and it answers each item with yes or no.",
      "Skills load on matching tasks by the selection of the library (rollout --library), not here.",
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
        const draft = checked(end);
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

/** The last word of the world on each item. */
function checked(end: SearchNode): Draft {
  const items = new Map<string, boolean>();
  for (const { step } of lineTo(end)) {
    const parts = step?.info?.["parts"];
    if (isObject(parts)) for (const [name, value] of Object.entries(parts)) items.set(name, value === 1);
  }
  if (items.size === 0) items.set("success", end.success === true);
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
