/**
 * Evidence against plans (SPARK's PDI). An agent's words about what it will do are no evidence: what counts
 * is what was carried out. `planDegradation` is the monitor itself, over the steps of a reflecting agent; `groundedness`
 * is its first-step form for a skill: how much of it was carried out in its evidence, less how much of it stands only in
 * what agents announced.
 */
import { deviation, mean } from "limbeck-base/base/statistics/summary";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { adviceOf, isFunctionWord, jaccard, wordSet } from "./words.ts";

export interface Memo {
  readonly facts: string;
  readonly strategy: string;
  readonly commands: readonly string[];
  readonly failedTests: readonly string[];
}

export interface Degradation {
  readonly exec: number;
  readonly plan: number;
  readonly oss: number;
  readonly weighted: number;
  readonly level: "none" | "soft" | "strong";
}

const THRESHOLD = -0.5;
const WARM_UP = 2;

/** The proxies of a memo: exec = share of the facts' words in the commands; plan, oss = likeness to the memo before. */
export function memoProxies(memo: Memo, before: Memo | undefined): { exec: number; plan: number; oss: number } {
  const facts = wordSet(memo.facts);
  const commands = wordSet(memo.commands.join(" "));
  const exec = facts.size === 0 ? 0 : [...facts].filter((word) => commands.has(word)).length / facts.size;
  if (before === undefined) return { exec, plan: 0, oss: 0 };
  const failed = jaccard(new Set(before.failedTests), new Set(memo.failedTests));
  return {
    exec,
    plan: jaccard(wordSet(before.strategy), wordSet(memo.strategy)),
    oss: 0.5 * jaccard(wordSet(before.facts), facts) + 0.5 * failed,
  };
}

/**
 * raw = exec - plan - oss at first, then z(exec) - z(plan) - z(oss) over all so far; weighted = min(1, s / 2) raw.
 *
 * @example
 * const proxies = [{ exec: 0.6, plan: 0, oss: 0 }, { exec: 0.2, plan: 0.8, oss: 0.9 }, { exec: 0.1, plan: 0.9, oss: 1 }];
 * console.log(planDegradation(proxies).map(({ level }) => level)); // [ "none", "soft", "strong" ]
 */
export function planDegradation(
  proxies: readonly { readonly exec: number; readonly plan: number; readonly oss: number }[],
  { warmUp = WARM_UP }: { readonly warmUp?: number } = {},
): Degradation[] {
  const found: Degradation[] = [];
  for (const [step, now] of proxies.entries()) {
    const z = (field: "exec" | "plan" | "oss"): number => {
      const values = proxies.slice(0, step + 1).map((one) => one[field]);
      const spread = deviation(values);
      return spread === 0 ? 0 : (now[field] - mean(values)) / spread;
    };
    const raw = step === 0 ? now.exec - now.plan - now.oss : z("exec") - z("plan") - z("oss");
    const weighted = (warmUp === 0 ? 1 : Math.min(1, step / warmUp)) * raw;
    const triggered = step >= 1 && weighted < THRESHOLD;
    const again = (found.at(-1)?.level ?? "none") !== "none";
    found.push({ ...now, weighted, level: !triggered ? "none" : again ? "strong" : "soft" });
  }
  return found;
}

/**
 * exec - plan: exec is the share of the skill's words that stand in actions of its evidence (or in the goal, which the
 * agent was given), plan the share that stand only in those agents' own words. From -1 to 1.
 *
 * @example
 * const { trajectories } = await rollout({ env: "household", policy: "expert", tasks: 1, group: 1 });
 * console.log(groundedness("go to toilet 1", [], trajectories), groundedness("call a friend", [], trajectories)); // 1 0
 */
export function groundedness(text: string, goals: readonly string[], evidence: readonly Trajectory[]): number {
  const words = [...wordSet(adviceOf(text).replaceAll(/\{\d+\}/g, " "))].filter(
    (word) => !isFunctionWord(word) && !LEAD_WORDS.has(word),
  );
  if (words.length === 0 || evidence.length === 0) return 0;
  const done = wordSet([...goals, ...evidence.flatMap(({ steps }) => steps.map(({ action }) => action))].join(" "));
  const said = wordSet(evidence.flatMap(({ steps }) => steps.map(saidIn)).join(" "));
  const exec = words.filter((word) => done.has(word)).length / words.length;
  const plan = words.filter((word) => !done.has(word) && said.has(word)).length / words.length;
  return exec - plan;
}

/** The words that every skill of the analysts begins with. */
const LEAD_WORDS = new Set(
  (
    "worked refused useless leads back not repeat already tried but now another other " +
    "files concerned read edit write search fetch run most sessions failed left step"
  ).split(" "),
);

function saidIn({ reply }: Trajectory["steps"][number]): string {
  if (reply === undefined) return "";
  const text = typeof reply.content === "string" ? reply.content : "";
  return `${text} ${reply.reasoning ?? ""}`;
}
