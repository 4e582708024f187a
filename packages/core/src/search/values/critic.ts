/** A critic: a model that has learned what states are worth. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import type { Scorer } from "limbeck-policy/policy/policy";
import type { OutcomeScorer } from "../../walk/judge.ts";
import { payForReading } from "../../walk/pay.ts";
import { lineTo, type SearchNode } from "../../walk/tree/node.ts";
import { joinLine } from "../../walk/tree/pieces.ts";
import type { SearchScope } from "../search.ts";
import { defineValue, within01 } from "./value.ts";

type Values = readonly (number | undefined)[];

export const critic = defineValue({
  info: {
    title: "Critic",
    paper: "value heads as in actor-critic training",
    confidence: "practice",
    formula: ["V(node) = (v(last token of the context at the node) - least) / (most - least), within 0 and 1"],
    meaning: "Asks a trained scorer (--scorer), a critic that the caller gives, or the value head of the policy.",
    departures: [
      "A head is trained on returns; `least` and `most` say which returns are 0 and 1.",
      "What a scorer reads is paid in tokens and is no model call, though it is not free: it reads every context anew (npm run bench -- reward).",
    ],
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
        const { critic: own, outcomeScorer } = givens;
        if (own !== undefined) return (await own(nodes, { signal: scope.signal })).map(scaled);
        if (outcomeScorer !== undefined) return (await fromScorer(outcomeScorer, nodes, scope)).map(scaled);
        return (await fromHead(nodes, scope)).map(scaled);
      },
    };
  },
});

async function fromScorer(scorer: OutcomeScorer, nodes: readonly SearchNode[], scope: SearchScope): Promise<Values> {
  if (!scope.agent.exact) {
    throw new EngineError(
      "needs-unmet",
      `A trained scorer reads tokens, and "${scope.agent.ref.name}" has none; search with the model that it was trained on.`,
      { details: { missing: ["tokens"] } },
    );
  }
  return await paidValues(
    nodes,
    (ids) => payForReading(scope.purse, ids.length),
    (contexts) => scorer.scoreTokens(contexts, scope.signal),
  );
}

/** Each is paid as a call that reads its context and says nothing. */
async function fromHead(nodes: readonly SearchNode[], scope: SearchScope): Promise<Values> {
  const scorer = headOf(scope);
  const pay = async ({ length: read }: Int32Array): Promise<boolean> =>
    (await scope.pay({ read, said: 0 }, async (_most, used) => {
      used({ read, said: 0, modelCalls: 1 });
      return true;
    })) === true;
  return await paidValues(nodes, pay, async (contexts) => {
    const rows = contexts.map(withNext);
    const scores = await scorer.score(rows, { statistics: ["value"], signal: scope.signal });
    return scores.map(({ value }) => value?.at(-1));
  });
}

/** All nodes that can be paid in one scoring; there is no value of the others. */
async function paidValues(
  nodes: readonly SearchNode[],
  pay: (ids: Int32Array) => boolean | Promise<boolean>,
  read: (contexts: readonly Int32Array[]) => Promise<Values>,
): Promise<Values> {
  const contexts = nodes.map((node) => joinLine(lineTo(node)).streams.at(-1)?.ids ?? new Int32Array());
  const paid: number[] = [];
  for (const [at, ids] of contexts.entries()) if (ids.length > 0 && (await pay(ids))) paid.push(at);
  const found = paid.length === 0 ? [] : await read(paid.map((at) => contexts[at] as Int32Array));
  const values: (number | undefined)[] = nodes.map(() => undefined);
  for (const [row, at] of paid.entries()) values[at] = found[row];
  return values;
}

/** The value of a token is read before it is known: any token does for the one that comes next. */
function withNext(context: Int32Array): { readonly ids: Int32Array; readonly mask: Uint8Array } {
  const ids = new Int32Array(context.length + 1);
  ids.set(context);
  const mask = new Uint8Array(ids.length);
  mask[context.length] = 1;
  return { ids, mask };
}

function headOf({ agent }: SearchScope): Scorer {
  if (agent.scorer?.statistics.includes("value") === true) return agent.scorer;
  throw new EngineError(
    "needs-unmet",
    `The value critic needs a trained scorer (--scorer), or a policy with a value head, which "${agent.ref.name}" has not; give a critic, or use another value.`,
    { details: { missing: ["critic"] } },
  );
}
