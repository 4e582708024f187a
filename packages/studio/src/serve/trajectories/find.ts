/** Words inside one trajectory: which steps have them, and where. */
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { FoundSteps } from "../api/trajectory.ts";
import { messageText } from "./detail.ts";

const MOST = 500;
/** Letters of the text around what was found. */
const AROUND = 60;

/** Steps in which a text stands, letters of either case, each once with the first place. */
export function findIn({ steps }: Pick<Trajectory, "steps">, text: string): FoundSteps {
  const wanted = text.toLowerCase();
  const hits = steps.flatMap((step) => {
    const hit = textsOf(step).find(([, said]) => said.toLowerCase().includes(wanted));
    return hit === undefined ? [] : [{ step: step.index, where: hit[0], excerpt: excerptOf(hit[1], wanted) }];
  });
  return { total: hits.length, hits: hits.slice(0, MOST) };
}

function textsOf({ observation, action, messages = [], reply }: Step): (readonly ["seen" | "said", string])[] {
  return [
    ["seen", observation],
    ["said", action],
    ...messages.map((message) => ["seen", messageText(message)] as const),
    ...(reply === undefined ? [] : [["said", `${reply.reasoning ?? ""}\n${messageText(reply)}`] as const]),
  ];
}

function excerptOf(text: string, wanted: string): string {
  const at = text.toLowerCase().indexOf(wanted);
  const [from, to] = [Math.max(0, at - AROUND), at + wanted.length + AROUND];
  return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
}
