/** What the uses of a skill come to. Lines that cannot be read are passed over: a log is only ever appended to. */
import { z } from "zod";
import { NO_STATISTICS, type SkillStatistics, type Use } from "./library-skill.ts";

/** How much one use counts (Skill1's alpha). */
const UTILITY_RATE = 0.05;

const UseSchema = z.object({
  at: z.string(),
  offered: z.boolean(),
  success: z.boolean(),
  reward: z.number().optional(),
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

/** U <- (1 - a) U + a R after each use; the first use gives U = R. */
export function foldUses(uses: readonly Use[], start: SkillStatistics = NO_STATISTICS): SkillStatistics {
  let now = start;
  for (const { at, offered, success, reward = success ? 1 : 0 } of uses) {
    if (!offered) {
      now = {
        ...now,
        withoutUses: now.withoutUses + 1,
        withoutSuccesses: now.withoutSuccesses + (success ? 1 : 0),
      };
      continue;
    }
    const utility = now.uses === 0 ? reward : (1 - UTILITY_RATE) * now.utility + UTILITY_RATE * reward;
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
