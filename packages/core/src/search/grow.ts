/** New children of a node: from the policy, or every action that the world lists. */
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import type { Need } from "../walk/purse.ts";
import { needFor } from "../walk/scope.ts";
import type { SearchScope, SearchNode } from "./search.ts";

export const growOptions = {
  width: option.count(4, "answers asked for when a node is expanded"),
  candidates: option.choice(
    "policy",
    ["policy", "listed"],
    "children from what the policy says, or every action that the world lists (no model calls)",
  ),
} as const;

export interface Grow extends OptionValues<typeof growOptions> {
  readonly guidance?: string | undefined;
}

/** Only those that are new. With "listed" in a world that lists nothing the policy is asked after all. */
export async function grow(
  scope: SearchScope,
  node: SearchNode,
  { width, candidates, guidance }: Grow,
): Promise<readonly SearchNode[]> {
  const listed = candidates === "listed" ? await scope.admissible(node) : undefined;
  if (listed === undefined) return await scope.expand(node, { count: width, guidance });
  const there = new Set(node.children.map(({ action }) => action));
  const fresh = listed.filter((action) => !there.has(action));
  const need = { envSteps: 1 + node.depth };
  const taken = await scope.each(fresh, (own, action) => own.take(node, action), { need });
  return taken.filter((child) => child !== undefined);
}

/** Several nodes at once, each paid for in their order. */
export async function growEach(
  scope: SearchScope,
  nodes: readonly SearchNode[],
  growing: Grow,
): Promise<(readonly SearchNode[])[]> {
  return await scope.each(nodes, (own, node) => grow(own, node, growing), { need: growNeed(scope, nodes, growing) });
}

/** What the dearest of them may take: the answers, a step for each, and replays where no world is kept. */
export function growNeed({ agent }: SearchScope, nodes: readonly SearchNode[], { width, candidates }: Grow): Need {
  // How many actions a world lists, and how much a prompt reads, is not known before: where it matters one goes at a time.
  const listed = candidates === "listed";
  const depth = Math.max(0, ...nodes.map((node) => node.depth));
  return needFor(agent, listed ? Infinity : depth + width * (1 + depth), width);
}
