/**
 * The second product of the same evidence: a protocol (ROAD). Every failed episode gets a root cause from what it did
 * against what worked for its kind; causes are merged into patterns; each becomes a branch "if … then …" that cites its
 * episodes. It needs no labels beyond whether episodes succeeded, and where even that is missing an episode that ended in
 * refusals or circles counts as failed. A later round takes the old protocol along: branches whose fault no longer occurs
 * among new episodes fade, those that occur again gain episodes.
 */
import { join } from "node:path";
import { groupedBy } from "limbeck-base/base/grouped-by";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { plainText } from "limbeck-base/base/plain-file";
import type { LibraryEntry } from "../library/index-file.ts";
import { NO_STATISTICS, type Link } from "../library/library-skill.ts";
import { screenSkill } from "../screen/screen.ts";
import { findFaults } from "../statistics/faults.ts";
import { passingVerbs } from "../statistics/passing-verbs.ts";
import { readMoves, hasSucceeded } from "../statistics/transitions.ts";
import { command } from "../statistics/wording.ts";
import { sayCalls } from "./call-drafts.ts";
import { groupCalls } from "./call-kinds.ts";
import { callWay } from "./call-ways.ts";
import { mergeLinks } from "./duplicates.ts";
import { abstractTokens, generalise, sayPatterns, type Pattern } from "./generalise.ts";
import { groupByShape, membersByTask, type ShapeGroup } from "./goal-shapes.ts";
import { byCalls, withDerivedKeys } from "./recorded-moves.ts";
import { wayOf } from "./way-drafts.ts";

export const CAUSES = ["missing", "refused", "circling", "idle", "unknown"] as const;
export type Cause = (typeof CAUSES)[number];

export interface Branch {
  /** The kind of goal; "*" for all. */
  readonly goal: string;
  readonly cause: Cause;
  /** What is seen when it goes wrong. */
  readonly sign: string;
  readonly advice: string;
  /** Failed episodes with this root cause. */
  readonly links: readonly Link[];
  /** Rounds in which it was seen, and the first and last of them. */
  readonly rounds: number;
  readonly firstRound: number;
  readonly lastRound: number;
}

export interface Protocol {
  readonly round: number;
  /** Episodes of this round, and how many of them failed. */
  readonly episodes: number;
  readonly failed: number;
  readonly branches: readonly Branch[];
}

/** Branches not seen for so many rounds are dropped. */
const MOST_QUIET_ROUNDS = 3;

/**
 * What went wrong in these episodes and what to do then; `before` is the protocol of the round before.
 *
 * @example
 * const { trajectories } = await rollout({ env: "household", policy: "expert", tasks: 1, group: 1 });
 * const failed = trajectories.map((one) => ({ ...one, id: "failed", steps: one.steps.slice(0, 1), success: false, reward: scored(0) }));
 * const { branches } = buildProtocol([...trajectories, ...failed]);
 * console.log(branches.map(({ cause, links }) => `${cause} in ${links.length}`)); // [ "missing in 1" ]
 */
export function buildProtocol(given: readonly Trajectory[], before?: Protocol): Protocol {
  const trajectories = given
    .map(withDerivedKeys)
    .filter(({ steps, ending }) => steps.length > 0 && ending !== "failed");
  const round = (before?.round ?? 0) + 1;
  const [called, played] = byCalls(trajectories);
  const passing = passingVerbs(played);
  const found: Branch[] = [
    ...groupByShape(played).flatMap((group) => branchesOf(group, passing, round)),
    ...groupCalls(called).flatMap((group) => branchesOfCalls(group, round)),
  ];
  const known = new Map(found.map((branch) => [keyOf(branch), branch]));
  for (const old of before?.branches ?? []) {
    const now = known.get(keyOf(old));
    if (now === undefined) {
      if (round - old.lastRound <= MOST_QUIET_ROUNDS) known.set(keyOf(old), old);
      continue;
    }
    const links = mergeLinks([...old.links, ...now.links]);
    known.set(keyOf(old), { ...now, links, rounds: old.rounds + 1, firstRound: old.firstRound });
  }
  const branches = [...known.values()]
    // Goals and commands may hold foreign text; such a branch is no advice.
    .filter(({ goal, sign, advice }) => screenSkill([goal, sign, advice], { goals: [goal] }).length === 0)
    .sort((one, other) => other.lastRound - one.lastRound || other.links.length - one.links.length);
  return { round, episodes: trajectories.length, failed: trajectories.filter(hasFailed).length, branches };
}

function keyOf({ goal, cause, sign }: Branch): string {
  return JSON.stringify([goal, cause, sign]);
}

/** Without a word about success, an episode that ended in refusals or circles has failed. */
function hasFailed(trajectory: Trajectory): boolean {
  if (trajectory.success !== null || trajectory.reward.kind === "scored") return !hasSucceeded(trajectory);
  const faults = findFaults(readMoves([trajectory]).of.get(trajectory.id) ?? []);
  const bad = [...faults.refused, ...faults.useless, ...faults.repeated].flatMap(({ steps }) => steps);
  return bad.includes(trajectory.steps.at(-1)?.index ?? -1);
}

function branchesOf(group: ShapeGroup, passing: ReadonlySet<string>, round: number): Branch[] {
  const ways = membersByTask(group).flatMap((own) => wayOf(own, passing) ?? []);
  const patterns = generalise(ways);
  const branches = new Map<string, Branch>();
  for (const { trajectory, values } of group.members) {
    if (!hasFailed(trajectory)) continue;
    const { cause, sign, advice, steps } = rootCause(trajectory, values, patterns);
    const branch = { goal: group.shape, cause, sign, advice };
    const known = branches.get(JSON.stringify(branch));
    const links = mergeLinks([...(known?.links ?? []), { trajectory: trajectory.id, steps }]);
    branches.set(JSON.stringify(branch), { ...branch, links, rounds: 1, firstRound: round, lastRound: round });
  }
  return [...branches.values()];
}

/** For sessions with tools: the first call of the way that they never came to. */
function branchesOfCalls(group: ShapeGroup, round: number): Branch[] {
  const way = callWay(group);
  if (way === undefined) return [];
  const said = sayCalls(way);
  const missed = groupedBy(way.failed, ({ missing }) => missing);
  return [...missed].flatMap(([at, failed]): Branch[] => {
    const step = said[at];
    if (step === undefined) return [];
    const after = at === 0 ? "At the start" : `After ${said[at - 1]}`;
    const links = failed.map(({ trajectory: { id, steps } }) => ({
      trajectory: id,
      steps: [steps.at(-1)?.index ?? 0],
    }));
    const branch = { goal: group.shape, sign: `it never came to ${step}`, advice: `${after}: ${step}.` };
    return [{ ...branch, cause: "missing", links, rounds: 1, firstRound: round, lastRound: round }];
  });
}

interface Root {
  readonly cause: Cause;
  readonly sign: string;
  readonly advice: string;
  readonly steps: readonly number[];
}

/** The first step of the common way that the episode never did; else what it did over and over in vain. */
function rootCause(trajectory: Trajectory, values: readonly string[], patterns: readonly Pattern[]): Root {
  const last = trajectory.steps.at(-1)?.index ?? 0;
  const met = new Map<string, string[]>();
  const done = trajectory.steps.filter(({ valid }) => valid).map(({ action }) => abstractTokens(action, values, met));
  const missing = patterns.find(({ tokens }) => !done.some((action) => fits(tokens, action)));
  if (missing !== undefined) {
    const [step] = [sayPatterns([missing])];
    const at = patterns.indexOf(missing);
    const after = at === 0 ? "At the start" : `After you ${sayPatterns([patterns[at - 1] as Pattern])}`;
    return { cause: "missing", sign: `it never came to "${step}"`, advice: `${after}: ${step}.`, steps: [last] };
  }
  const faults = findFaults(readMoves([trajectory]).of.get(trajectory.id) ?? []);
  const told =
    patterns.length === 0 ? "Try something that was not tried yet." : `Go on with: ${sayPatterns(patterns)}.`;
  const kinds = [
    ["refused", faults.refused, "is refused"],
    ["circling", [...faults.leadsBack, ...faults.repeated], "leads back"],
    ["idle", faults.useless, "changes nothing"],
  ] as const;
  for (const [cause, list, why] of kinds) {
    const [fault] = list;
    if (fault === undefined) continue;
    const action = sayPatterns([{ tokens: abstractTokens(command(fault.action), values) }]);
    return { cause, sign: `"${action}" ${why}`, advice: `Do not repeat it. ${told}`, steps: fault.steps };
  }
  return { cause: "unknown", sign: "nothing that others do not do as well", advice: told, steps: [last] };
}

/** "*" in a pattern stands for any tokens up to the next one that fits. */
function fits(pattern: readonly string[], action: readonly string[]): boolean {
  let at = 0;
  let open = false;
  for (const token of pattern) {
    if (token === "*") {
      open = true;
      continue;
    }
    const found = open ? action.indexOf(token, at) : action[at] === token ? at : -1;
    if (found === -1) return false;
    at = found + 1;
    open = false;
  }
  return open || at === action.length;
}

const MOST_CITED = 5;

/**
 * As people read it: a tree with the goals at its root, the most frequent causes first.
 *
 * @example
 * import { buildProtocol } from "limbeck/skill";
 *
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1 });
 * console.log(protocolText(buildProtocol(trajectories)).includes("Round 1: 0 of 1 episodes failed.")); // true
 */
export function protocolText({ round, episodes, failed, branches }: Protocol): string {
  const goals = [...new Set(branches.map(({ goal }) => goal))];
  return [
    "# Protocol",
    "",
    `Round ${round}: ${failed} of ${episodes} episodes failed. What went wrong, and what to do when it is seen again.`,
    ...goals.flatMap((goal) => [
      "",
      `- If the goal is like "${oneLine(goal)}":`,
      ...branches
        .filter((branch) => branch.goal === goal)
        .map(({ sign, advice, links, rounds }) => {
          const cited = links.slice(0, MOST_CITED).map(({ trajectory }) => trajectory);
          const more = links.length > cited.length ? `, and ${links.length - cited.length} more` : "";
          const seen = rounds > 1 ? `, ${rounds} rounds` : "";
          return `  - If ${oneLine(sign)}: ${oneLine(advice)} (${links.length} episodes${seen}: ${cited.join(", ")}${more})`;
        }),
    ]),
    "",
  ].join("\n");
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}

/** The branches as the selection reads them: it fills their places with the words of the goal. None of them is a skill of the library. */
export function protocolEntries({ branches }: Protocol): LibraryEntry[] {
  return branches.map(({ goal, cause, sign, advice, links }, at) => ({
    name: `protocol-${at + 1}`,
    version: String(at + 1),
    description: oneLine(`If ${sign}`),
    level: goal === "*" ? "general" : "task",
    status: "active",
    when: { goals: goal === "*" ? [] : [goal] },
    // Missing moves follow from the order of the others; useless ones have to be named.
    text: oneLine(cause === "missing" || cause === "unknown" ? advice : `If ${sign}: ${advice}`),
    links: links.length,
    support: { successes: 0, failures: links.length },
    statistics: NO_STATISTICS,
    source: "protocol",
  }));
}

/** The protocol that `skills extract --protocol` left in the library; undefined where there is none. */
export async function storedProtocol(root: string): Promise<Protocol | undefined> {
  return await plainText(join(root, "protocol.json")).then(
    (text) => JSON.parse(text) as Protocol,
    () => undefined,
  );
}
