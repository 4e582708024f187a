/** A critic: a model that has learned what states are worth. */
import { EngineError, option } from "../../base/index.ts";
import type { Scorer } from "../../policy/index.ts";
import { lineTo, type SearchNode } from "../../walk/tree/node.ts";
import { joinLine } from "../../walk/tree/pieces.ts";
import type { SearchScope } from "../search.ts";
import { defineValue, within01 } from "./value.ts";

export const critic = defineValue({
  info: {
    title: "Critic",
    paper: "value heads as in actor-critic training",
    confidence: "inferred",
    formula: ["V(node) = (v(last token of the context at the node) - least) / (most - least), within 0 and 1"],
    meaning: "Reads the value head of the policy at the node, or asks a critic that the caller gives.",
    departures: ["A head is trained on returns; `least` and `most` say which returns are 0 and 1."],
  },
  options: {
    least: option.number(0, "the return that is worth 0"),
    most: option.number(1, "the return that is worth 1"),
  },
  create: ({ least, most }, givens) => {
    if (!(most > least)) {
      throw new EngineError("usage", `Option most of critic is ${most}; it must be above least, which is ${least}.`);
    }
    const scaled = (value: number | undefined): number | undefined =>
      value === undefined ? undefined : within01((value - least) / (most - least));
    return {
      estimate: async (nodes, scope) => {
        const { critic: own } = givens;
        const values = own === undefined ? await fromHead(nodes, scope) : await own(nodes, { signal: scope.signal });
        return values.map(scaled);
      },
    };
  },
});

/** All nodes in one scoring; each is paid as a call that reads its context and says nothing. */
async function fromHead(nodes: readonly SearchNode[], scope: SearchScope): Promise<(number | undefined)[]> {
  const scorer = headOf(scope);
  const contexts = nodes.map((node) => joinLine(lineTo(node)).streams.at(-1)?.ids ?? new Int32Array());
  const paid: number[] = [];
  for (const [at, ids] of contexts.entries()) {
    const done = await scope.pay({ read: ids.length, said: 0 }, async (_most, used) => {
      used({ read: ids.length, said: 0, modelCalls: 1 });
      return true;
    });
    if (done !== undefined && ids.length > 0) paid.push(at);
  }
  const rows = paid.map((at) => ({ ids: contexts[at] as Int32Array, mask: lastOnly(contexts[at] as Int32Array) }));
  const scores = rows.length === 0 ? [] : await scorer.score(rows, { statistics: ["value"], signal: scope.signal });
  const values: (number | undefined)[] = nodes.map(() => undefined);
  for (const [row, at] of paid.entries()) values[at] = scores[row]?.value?.at(-1);
  return values;
}

function lastOnly({ length }: Int32Array): Uint8Array {
  const mask = new Uint8Array(length);
  mask[length - 1] = 1;
  return mask;
}

function headOf({ agent }: SearchScope): Scorer {
  if (agent.scorer?.statistics.includes("value") === true) return agent.scorer;
  throw new EngineError(
    "needs-unmet",
    `The value critic needs a policy with a value head, which "${agent.ref.name}" has not; give a critic, or use another value.`,
    { details: { missing: ["critic"] } },
  );
}
