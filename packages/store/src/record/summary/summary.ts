/** What happened in many sessions: outcomes by their evidence, loops, refusals, errors by tool, costs, and where ways part. */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { wilson } from "limbeck-base/base/statistics/share";
import type { SessionFacts, ToolCount } from "./session-facts.ts";

/** From the strongest to the weakest. */
export const EVIDENCE = ["feedback", "tests", "commits", "next message"] as const;
export type Evidence = (typeof EVIDENCE)[number];

export interface Judged {
  readonly success: boolean;
  readonly evidence: Evidence;
}

export interface Summary {
  readonly sessions: number;
  /** Sub-agents and branches, whose calls and costs are counted with the rest. */
  readonly parts: number;
  readonly outcomes: readonly { readonly evidence: Evidence; readonly success: number; readonly failure: number }[];
  readonly unknown: number;
  /** How often the person's words agreed with what is known better; undefined where nothing can be compared. */
  readonly wordsCheck?: { readonly agreed: number; readonly of: number; readonly low: number; readonly high: number };
  readonly loops: readonly { readonly id: string; readonly call: string; readonly times: number }[];
  readonly tools: readonly (ToolCount & { readonly tool: string })[];
  readonly kinds: readonly KindCost[];
  readonly partings: readonly Parting[];
}

export interface KindCost {
  readonly kind: string;
  readonly sessions: number;
  readonly success: number;
  readonly failure: number;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number;
  /** Sessions without a known cost; the sum leaves them out. */
  readonly unpriced: number;
}

export interface Parting {
  readonly task: string;
  readonly goal: string;
  readonly sessions: number;
  /** The first step at which they differ. */
  readonly step: number;
  readonly ways: readonly {
    readonly action: string;
    readonly sessions: number;
    readonly success: number;
    readonly failure: number;
  }[];
}

/** `costs`: US dollars by id of the session, where known. */
export function summarise(all: readonly SessionFacts[], costs: ReadonlyMap<string, number>): Summary {
  const sessions = all.filter(({ part }) => !part);
  const takenBack = new Set(all.flatMap(({ undone }) => undone));
  const judged = new Map(sessions.map((facts) => [facts.id, judge(facts, takenBack)]));
  const count = (evidence: Evidence, success: boolean): number =>
    [...judged.values()].filter((one) => one?.evidence === evidence && one.success === success).length;
  const check = checkWords(sessions, takenBack);
  return {
    sessions: sessions.length,
    parts: all.length - sessions.length,
    outcomes: EVIDENCE.map((evidence) => ({
      evidence,
      success: count(evidence, true),
      failure: count(evidence, false),
    })),
    unknown: [...judged.values()].filter((one) => one === undefined).length,
    ...(check === undefined ? {} : { wordsCheck: check }),
    loops: all
      .flatMap(({ id, loop }) => (loop === undefined ? [] : [{ id, ...loop }]))
      .sort((one, other) => other.times - one.times),
    tools: toolCounts(all),
    kinds: kindCosts(all, judged, costs),
    partings: partings(sessions, judged),
  };
}

/** How each session ended, by evidence that is in `wanted`; sessions without any are left out. */
export function judgeSessions(all: readonly SessionFacts[], wanted: readonly Evidence[]): Map<string, Judged> {
  const takenBack = new Set(all.flatMap(({ undone }) => undone));
  const found = new Map<string, Judged>();
  for (const facts of all) {
    const judged = facts.part ? undefined : judge(facts, takenBack);
    if (judged !== undefined && wanted.includes(judged.evidence)) found.set(facts.id, judged);
  }
  return found;
}

/** The strongest evidence there is; undefined where there is none. */
function judge(facts: SessionFacts, takenBack: ReadonlySet<string>): Judged | undefined {
  if (facts.success !== null) return { success: facts.success, evidence: "feedback" };
  return (
    shown(facts, takenBack) ??
    (facts.mood === undefined ? undefined : { success: facts.mood === "pleased", evidence: "next message" })
  );
}

function shown(facts: SessionFacts, takenBack: ReadonlySet<string>): Judged | undefined {
  if (facts.tests !== undefined) return { success: facts.tests, evidence: "tests" };
  const last = facts.commits.at(-1);
  return last === undefined ? undefined : { success: !takenBack.has(last), evidence: "commits" };
}

function checkWords(sessions: readonly SessionFacts[], takenBack: ReadonlySet<string>): Summary["wordsCheck"] {
  const both = sessions.flatMap((facts) => {
    const known = facts.success ?? shown(facts, takenBack)?.success;
    return facts.mood === undefined || known === undefined ? [] : [(facts.mood === "pleased") === known];
  });
  if (both.length === 0) return undefined;
  const agreed = both.filter(Boolean).length;
  const { low, high } = wilson(agreed, both.length);
  return { agreed, of: both.length, low, high };
}

function toolCounts(all: readonly SessionFacts[]): Summary["tools"] {
  const totals = new Map<string, ToolCount>();
  for (const { tools } of all) {
    for (const [tool, { calls, errors, refused }] of tools) {
      const total = totals.get(tool) ?? { calls: 0, errors: 0, refused: 0 };
      totals.set(tool, { calls: total.calls + calls, errors: total.errors + errors, refused: total.refused + refused });
    }
  }
  return [...totals]
    .map(([tool, total]) => ({ tool, ...total }))
    .sort((one, other) => other.errors + other.refused - one.errors - one.refused || other.calls - one.calls);
}

function kindCosts(
  all: readonly SessionFacts[],
  judged: ReadonlyMap<string, Judged | undefined>,
  costs: ReadonlyMap<string, number>,
): KindCost[] {
  const total = (group: readonly SessionFacts[], of: (facts: SessionFacts) => number): number =>
    group.reduce((sum, facts) => sum + of(facts), 0);
  return [...groupedBy(all, ({ kind }) => kind)]
    .map(([kind, group]) => {
      const whole = group.filter(({ part }) => !part);
      return {
        kind,
        sessions: whole.length,
        success: whole.filter(({ id }) => judged.get(id)?.success === true).length,
        failure: whole.filter(({ id }) => judged.get(id)?.success === false).length,
        steps: total(group, ({ steps }) => steps),
        tokens: total(group, ({ tokens }) => tokens),
        costUsd: total(group, ({ id }) => costs.get(id) ?? 0),
        unpriced: group.filter(({ id }) => !costs.has(id)).length,
      };
    })
    .sort((one, other) => other.costUsd - one.costUsd || other.tokens - one.tokens);
}

function partings(sessions: readonly SessionFacts[], judged: ReadonlyMap<string, Judged | undefined>): Parting[] {
  return [...groupedBy(sessions, ({ task }) => task)]
    .flatMap(([task, group]): Parting[] => {
      const [first] = group;
      if (first === undefined || group.length < 2) return [];
      const longest = Math.max(...group.map(({ path }) => path.length));
      const step = Array.from({ length: longest }, (_, index) => index).find(
        (index) => new Set(group.map(({ path }) => path[index]?.key ?? "end")).size > 1,
      );
      if (step === undefined) return [];
      const ways = [...groupedBy(group, ({ path }) => path[step]?.key ?? "end")].map(([, own]) => ({
        action: own[0]?.path[step]?.text ?? "ends",
        sessions: own.length,
        success: own.filter(({ id }) => judged.get(id)?.success === true).length,
        failure: own.filter(({ id }) => judged.get(id)?.success === false).length,
      }));
      return [
        {
          task,
          goal: first.goal,
          sessions: group.length,
          step,
          ways: ways.sort((one, other) => other.sessions - one.sessions),
        },
      ];
    })
    .sort((one, other) => other.sessions - one.sessions);
}
