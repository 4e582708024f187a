/** What the uses of a skill come to. Lines that cannot be read are passed over: a log is only ever appended to. */
import { z } from "zod";
import { NO_STATISTICS, type SkillStatistics, type Use } from "./library-skill.ts";

/** How much one use counts (Skill1's alpha). */
const UTILITY_RATE = 0.05;

const UseSchema = z.object({
  at: z.string(),
  offered: z.boolean(),
  success: z.boolean().nullable(),
  reward: z.number().optional(),
  run: z.string().optional(),
  trajectory: z.string().optional(),
  by: z.string().optional(),
});

export function readUses(text: string): Use[] {
  return text.split("\n").flatMap((line) => {
    if (line.trim() === "") return [];
    try {
      const parsed = UseSchema.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data as Use] : [];
    } catch {
      return [];
    }
  });
}

/** What names a use of a trajectory in a store; undefined for one that was reported by itself. */
function storedUse({ run, trajectory }: Pick<Use, "run" | "trajectory">): string | undefined {
  return run === undefined || trajectory === undefined ? undefined : JSON.stringify([run, trajectory]);
}

/** Those that the log does not have yet with the same outcome. */
export function newUses(uses: readonly Use[], log: string): Use[] {
  if (uses.every((use) => storedUse(use) === undefined)) return [...uses];
  const known = new Map(readUses(log).map((use) => [storedUse(use), use]));
  return uses.filter((use) => {
    const key = storedUse(use);
    const before = key === undefined ? undefined : known.get(key);
    return before === undefined || before.success !== use.success || before.reward !== use.reward;
  });
}

/** U <- (1 - a) U + a R after each use with an outcome; the first gives U = R. */
export function foldUses(uses: readonly Use[], start: SkillStatistics = NO_STATISTICS): SkillStatistics {
  let now = start;
  let judged = start.uses;
  const last = new Map(uses.map((use, line) => [storedUse(use) ?? line, use]));
  for (const { at, offered, success, reward = success === true ? 1 : 0 } of last.values()) {
    if (success === null) {
      if (offered) now = { ...now, uses: now.uses + 1, lastUsed: at };
      continue;
    }
    if (!offered) {
      now = {
        ...now,
        withoutUses: now.withoutUses + 1,
        withoutSuccesses: now.withoutSuccesses + (success ? 1 : 0),
      };
      continue;
    }
    const utility = judged === 0 ? reward : (1 - UTILITY_RATE) * now.utility + UTILITY_RATE * reward;
    judged += 1;
    now = {
      ...now,
      uses: now.uses + 1,
      successes: now.successes + (success ? 1 : 0),
      failures: now.failures + (success ? 0 : 1),
      utility,
      lastUsed: at,
    };
  }
  return now;
}
