/** An arena and a library with known numbers, for the tests of the pages that show them. */
import { EngineError } from "../../packages/base/src/base/errors.ts";
import type { ArenaArm, ArenaDetail, SkillDetail } from "../../packages/studio/src/serve/api.ts";
import type { Arenas } from "../../packages/studio/src/serve/arena/folder-arenas.ts";
import type { SkillLibrary } from "../../packages/studio/src/serve/skills/folder-library.ts";

const arm = (name: string, rank: number, value: number): ArenaArm => ({
  arm: name,
  recipe: name,
  final: { value, low: value - 0.1, high: value + 0.1, tasks: 256 },
  areaUnderCurve: { value: value / 2, low: value / 2 - 0.05, high: value / 2 + 0.05, tasks: 4 },
  rating: { value: 1_000 + 500 * value, low: 1_000, high: 1_400, tasks: 4 },
  rank,
  reached: [
    { success: 0.5, at: 12_000 },
    { success: 0.9, at: null },
  ],
  runs: ["trained"],
  failures: 0,
});

const ARENA: ArenaDetail = {
  id: "spring",
  createdAt: "2026-11-15T08:00:00.000Z",
  env: "household",
  arms: ["opid", "grpo"],
  seeds: 4,
  done: 8,
  planned: 8,
  problem: null,
  config: {},
  budget: "steps",
  table: [arm("opid", 1, 0.75), arm("grpo", 2, 0.5)],
  curves: ["opid", "grpo"].map((name, at) => ({
    arm: name,
    points: [0, 1, 2].map((x) => ({
      x: x * 1_000,
      y: 0.2 + 0.1 * x + 0.1 * at,
      low: 0.1 + 0.1 * x,
      high: 0.4 + 0.1 * x,
    })),
  })),
  pairs: [
    { left: "opid", right: "grpo", seeds: 5, difference: 0.25, low: 0.125, high: 0.375, p: 0.004, separated: true },
  ],
  notes: ["One seed was repeated after a crash."],
};

export const arenas: Arenas = {
  list: async () => [ARENA],
  read: async (id) => {
    if (id !== ARENA.id) throw new EngineError("no-arena", `There is no arena "${id}".`);
    return ARENA;
  },
};

/** One skill that can be decided on; the history grows as it would on disk. */
export function createLibrary(): SkillLibrary {
  let skill: SkillDetail = {
    id: "look-first",
    name: "look-first",
    level: "episode",
    text: "Look before you take.",
    when: "A shelf is in sight.",
    status: "candidate",
    evidence: 1,
    uses: 12,
    lift: { value: 0.125, low: 0.0625, high: 0.1875, tasks: 64 },
    shift: 0.25,
    updatedAt: "2026-11-15T08:00:00.000Z",
    evidenceAt: [{ run: "trained", trajectory: "1/train/0", steps: [{ step: 1, action: "take mug 1 from shelf 1" }] }],
    used: null,
    facts: {},
    history: [],
  };
  return {
    name: "skills",
    list: async () => ({ total: 1, skills: [skill], problems: [] }),
    read: async () => skill,
    decide: async ({ decision, who, note }) => {
      const entry = { time: "2026-11-15T09:00:00.000Z", who, what: decision, from: skill.status, to: "promoted", note };
      skill = { ...skill, status: "promoted", history: [...skill.history, entry] };
      return skill;
    },
  };
}
