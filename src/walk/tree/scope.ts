/** A scope at work: the tree grows through it, and it pays for everything from its purse. */
import { createRng, EngineError, throwIfAborted, type Rng } from "../../base/index.ts";
import type { Episode } from "../../env/index.ts";
import { tokensAtMost } from "./asker.ts";
import { payForCall, withPurses } from "../pay.ts";
import type { Need, Purse } from "../purse.ts";
import { isIrreversible, listedActions } from "../../env/world-faults.ts";
import { outcomeOfNode, type SearchNode } from "./node.ts";
import { failed, imposed, propose } from "./propose.ts";
import type { Proposal } from "./proposal.ts";
import type { AskOptions, ProposeOptions, SearchScope } from "./search.ts";
import type { Session } from "./session.ts";
import { take } from "./take.ts";
import { walkOn } from "./walk-on.ts";

export function createSearchScope(session: Session, purse: Purse, rng: Rng): SearchScope {
  const { env, agent, task, root, signal, rounds, alike } = session;
  const scope: SearchScope = {
    env,
    agent,
    task,
    root,
    rng,
    purse,
    signal,
    seesOutcome: session.seesOutcome,
    canAsk: session.asker !== undefined,
    left: () => session.purse.share(),
    propose: (node, options) => rounds.during(() => propose(session, purse, node, options)),
    take: (node, what) =>
      rounds.during(async () => {
        const order = node.nextOrder();
        const proposal = typeof what === "string" ? given(session, node, what, order) : what;
        return proposal === undefined ? undefined : await take(session, purse, proposal, { order, simulated: false });
      }),
    expand: (node, options) => rounds.during(() => expand(session, purse, node, options)),
    walkOn: (node, options) => rounds.during(() => walkOn(session, purse, node, options)),
    evaluate: (nodes) => rounds.during(() => evaluate(session, scope, nodes)),
    ask: (prompt, options) => ask(session, purse, prompt, options),
    pay: (need, work) => payForCall(purse, need, session.prices, work),
    admissible: async (node) => {
      const world = node.closed ? undefined : await lookAt(session, purse, node);
      return world === undefined ? undefined : listedActions(world);
    },
    irreversible: async (node, action) => {
      const world = node.closed ? undefined : await lookAt(session, purse, node);
      return world === undefined ? true : await isIrreversible(world, action);
    },
    verify: (node) => rounds.during(() => session.worlds.verify(node, purse)),
    alike: (left, right) => alike.same(left, right),
    meanings: (actions) => alike.firsts(actions),
    safe: () => createSearchScope({ ...session, guarded: true }, purse, rng),
    each: (items, work, { need = episodeNeed(session) } = {}) =>
      rounds.during(() =>
        withPurses(purse, items.length, need, async (index, own) => {
          throwIfAborted(signal);
          return await work(createSearchScope(session, own, rng.split(index)), items[index] as never, index);
        }),
      ),
  };
  return scope;
}

/** What one whole episode may take. How much it reads cannot be known before: where that is limited, one works at a time. */
function episodeNeed({ env, agent }: Session): Need {
  const { maxSteps } = env;
  return agent.answerTokens === 0
    ? { envSteps: maxSteps }
    : {
        envSteps: maxSteps,
        modelCalls: maxSteps,
        sampledTokens: maxSteps * agent.answerTokens,
        tokens: Infinity,
        picodollars: Infinity,
      };
}

async function lookAt(session: Session, purse: Purse, node: SearchNode): Promise<Episode | undefined> {
  try {
    return await session.worlds.at(node, purse);
  } catch (error) {
    return failed(session, error);
  }
}

function given(session: Session, node: SearchNode, action: string, index: number): Proposal | undefined {
  if (node.closed) return undefined;
  try {
    return imposed(session, node, action, { index, source: "search" });
  } catch (error) {
    return failed(session, error);
  }
}

async function expand(
  session: Session,
  purse: Purse,
  node: SearchNode,
  options: ProposeOptions = {},
): Promise<readonly SearchNode[]> {
  const proposals = await propose(session, purse, node, options);
  const there = node.children;
  const firsts = await session.alike.firsts([
    ...there.map(({ action = "" }) => action),
    ...proposals.map(({ action }) => action),
  ]);
  /** The number of proposals behind each new child, by the place of the first. */
  const copies = new Map<number, number>();
  for (const [at, proposal] of proposals.entries()) {
    const first = firsts[there.length + at] as number;
    const known = there[first];
    if (known !== undefined) known.copies += 1;
    else copies.set(first, (copies.get(first) ?? 0) + 1);
    if (known === undefined && first === there.length + at) continue;
    session.counts.merged += 1;
    proposal.live.close();
  }
  const fresh = [...copies].map(([place, count]) => ({
    proposal: proposals[place - there.length] as Proposal,
    count,
    order: node.nextOrder(),
  }));
  // Paid for in the order of asking: a step, and a replay of the line where no world is kept.
  const children = await withPurses(purse, fresh.length, { envSteps: 1 + node.depth }, async (index, own) => {
    const { proposal, count, order } = fresh[index] as (typeof fresh)[number];
    const child = await take(session, own, proposal, { order, simulated: false });
    if (child !== undefined) child.copies = count;
    return child;
  });
  return children.filter((child) => child !== undefined);
}

async function evaluate(session: Session, scope: SearchScope, nodes: readonly SearchNode[]): Promise<void> {
  const { seesOutcome, value } = session;
  const asked: SearchNode[] = [];
  for (const node of new Set(nodes)) {
    if (node.estimate !== undefined) continue;
    const outcome = seesOutcome ? outcomeOfNode(node) : undefined;
    if (outcome !== undefined) node.estimate = outcome;
    else if (!node.dropped && !(seesOutcome && node.ending !== undefined)) asked.push(node);
  }
  if (value === undefined || asked.length === 0) return;
  const estimates = await value.estimate(asked, scope);
  if (estimates.length !== asked.length) {
    throw new EngineError("bad-value", `The value gave ${estimates.length} numbers for ${asked.length} nodes.`);
  }
  for (const [at, node] of asked.entries()) {
    const estimate = estimates[at];
    if (estimate !== undefined && !Number.isFinite(estimate)) {
      throw new EngineError(
        "bad-value",
        `The value of node "${node.path}" is ${estimate}; it must be a number from 0 to 1.`,
      );
    }
    node.estimate = estimate;
  }
}

async function ask(
  session: Session,
  purse: Purse,
  prompt: string,
  { answerTokens = 256, sample = 0, kind = "critique" }: AskOptions = {},
): Promise<string | undefined> {
  const { asker, calls, prices, seed, task } = session;
  if (asker === undefined) return undefined;
  const atMost = tokensAtMost(prompt);
  try {
    return await payForCall(purse, { read: atMost, said: answerTokens }, prices, async (maxTokens, used) => {
      used({ read: atMost, said: 0, modelCalls: 1 });
      // The seed is a digest, so that it does not carry the whole question.
      const drawn = createRng(`${seed} ask ${sample} ${prompt}`).int(2 ** 31);
      const { text, usage } = await calls.policy(({ signal }) =>
        asker(prompt, { maxTokens, signal, seed: `${drawn}`, kind, goal: task.goal }),
      );
      used({
        read: usage?.promptTokens ?? atMost,
        said: usage?.completionTokens ?? Math.min(maxTokens, Buffer.byteLength(text)),
        modelCalls: usage?.modelCalls ?? 1,
      });
      return text;
    });
  } catch (error) {
    return failed(session, error);
  }
}
