/** Self-evaluation as relative progress: not how good a state is, but how much better than the one before. */
import { option } from "limbeck-base/base/option";
import { readReply } from "../../reward/judge-reply.ts";
import type { SearchScope, SearchNode } from "../search.ts";
import { defineValue, episodePrompt } from "./value.ts";

export const progress = defineValue({
  info: {
    title: "Relative progress",
    paper: "BAVT, Spend Less, Reason Better: Budget-Aware Value Tree Search for LLM Agents",
    confidence: "reading",
    source: "a reading of arXiv 2603.12634 in public notes",
    formula: [
      "d in [-1, 1]: how much the last action has helped, as the model says of its own work",
      "V(node) = V(parent) + d * (1 - V(parent)) for d >= 0;   V(parent) + d * V(parent) for d < 0;   V(root) = start",
    ],
    meaning: "Asks a text model how much the last action has helped, and adds that to the value of the node before.",
    departures: [
      "Read in notes of others: the paper scores residual progress over the parent; how a residual becomes a value is ours, so that it stays within 0 and 1.",
      "An answer that cannot be read leaves the node at the value of its parent.",
    ],
  },
  options: {
    start: option.share(0.5, "value of the root"),
    answerTokens: option.count(128, "most tokens of the answer", 8),
  },
  create: ({ start, answerTokens }) => ({
    estimate: async (nodes, scope) => {
      const known = new Map<SearchNode, Promise<number>>();
      const valueOf = (node: SearchNode): Promise<number> => {
        const value = known.get(node) ?? fresh(node);
        known.set(node, value);
        return value;
      };
      const fresh = async (node: SearchNode): Promise<number> => {
        if (node.estimate !== undefined) return node.estimate;
        if (node.parent === undefined) return start;
        const before = await valueOf(node.parent);
        return advance(before, await residual(scope, node, answerTokens));
      };
      return await Promise.all(nodes.map(valueOf));
    },
  }),
});

/** The value after a residual of -1 to 1. */
export function advance(before: number, delta: number): number {
  return delta >= 0 ? before + delta * (1 - before) : before + delta * before;
}

async function residual(scope: SearchScope, node: SearchNode, answerTokens: number): Promise<number> {
  const prompt = episodePrompt(scope.task, node, {
    question: "Compared with the moment before the last action: how much nearer is the goal now?",
    answer: '{"progress": <number from -10 (thrown back to the start) over 0 (no change) to 10 (reached)>}',
  });
  const reply = await scope.ask(prompt, { answerTokens });
  const read = reply === undefined ? "" : readReply(reply, ["progress"], { least: -10, most: 10 });
  return typeof read === "string" ? 0 : (read.get("progress") ?? 0.5) * 2 - 1;
}
