/** Whether what was written about an episode is true, claim by claim, by playing it again. */
import type { Trajectory } from "limbeck";
import { readClaims, readWarning, type ReadClaim } from "../../packages/core/src/skill/writer/brief-answer.ts";
import { judgeSteps, type Ground, type Judged } from "./truth.ts";

export interface Checker {
  /** Undefined where the text claims nothing that can be checked. */
  readonly episode: (text: string) => Promise<boolean | undefined>;
  readonly step: (at: number, text: string) => Promise<boolean | undefined>;
  /** Whether this action brings nearer at that step. */
  readonly helps: (at: number, action: string) => Promise<boolean>;
  readonly judged: readonly Judged[];
}

export async function checkerOf(
  ground: Ground,
  trajectory: Trajectory,
  /** Commands of these may hold what separates commands. */
  group: readonly Trajectory[] = [],
): Promise<Checker> {
  const known = new Set([trajectory, ...group].flatMap((one) => one.steps.map(({ action }) => action)));
  const judged = await judgeSteps(ground, trajectory);
  const { steps } = trajectory;
  const actions = steps.map(({ action }) => action);
  const places = (action: string): number[] => actions.flatMap((one, at) => (one === action ? [at] : []));
  const helps = async (at: number, action: string): Promise<boolean> => {
    const past = actions.slice(0, at);
    return (await ground.after([...past, action])).remaining < (await ground.after(past)).remaining;
  };
  const unchanged = async (at: number): Promise<boolean> => !(await ground.after(actions.slice(0, at + 1))).changed;
  const leadsBack = (at: number): boolean => {
    const before = new Set(steps.slice(0, at + 1).map(({ stateKey }) => stateKey));
    return steps.slice(at + 1).some(({ stateKey }) => before.has(stateKey));
  };
  const every = async (
    commands: readonly string[],
    holds: (at: number) => Promise<boolean> | boolean,
  ): Promise<boolean> => {
    for (const command of commands) {
      const found = await Promise.all(places(command).map(async (at) => await holds(at)));
      if (!found.includes(true)) return false;
    }
    return true;
  };
  const holds = async (
    { claim, commands }: Omit<ReadClaim, "lead">,
    before: Omit<ReadClaim, "lead"> | undefined,
  ): Promise<boolean> => {
    if (claim === "worked") return (await ground.after(commands)).won;
    if (claim === "refused") return await every(commands, (at) => steps[at]?.valid === false);
    if (claim === "useless") return await every(commands, unchanged);
    if (claim === "leadsBack") return await every(commands, leadsBack);
    if (claim === "repeat") return commands.every((command) => places(command).length > 1);
    if (claim === "tried") return trajectory.success !== true && (await every(commands, () => true));
    if (claim === "not") return await every(commands, (at) => judged[at]?.right === false);
    const near = before?.claim === "not" ? before.commands.flatMap(places) : actions.map((_, at) => at);
    const [action = ""] = commands;
    const found = await Promise.all(near.map((at) => helps(at, action)));
    return found.includes(true);
  };
  return {
    judged,
    helps,
    episode: async (text) => {
      const claims = readClaims(text);
      if (claims.length === 0) return undefined;
      const whole = claims.map((claim) => ({ ...claim, commands: rejoined(claim.commands, known) }));
      for (const [at, claim] of whole.entries()) if (!(await holds(claim, whole[at - 1]))) return false;
      return true;
    },
    step: async (at, text) => {
      const warning = readWarning(text);
      if (warning !== undefined) {
        if (actions[at] !== warning.action) return false;
        if (warning.reason === "refused") return steps[at]?.valid === false;
        return warning.reason === "useless" ? await unchanged(at) : leadsBack(at);
      }
      const [said] = readClaims(text);
      return said?.claim === "now" ? await helps(at, said.commands.join("; ")) : undefined;
    },
  };
}

/** A command that holds the mark between commands was read as several. */
function rejoined(pieces: readonly string[], known: ReadonlySet<string>): string[] {
  const commands: string[] = [];
  for (let at = 0; at < pieces.length;) {
    let end = pieces.length;
    while (end > at + 1 && !known.has(pieces.slice(at, end).join("; "))) end -= 1;
    commands.push(pieces.slice(at, end).join("; "));
    at = end;
  }
  return commands;
}
