/** Skills: those a run wrote, those of the library, and what people decided about them. */
import { z } from "zod";
import { interval, page, paging } from "./base.ts";

/**
 * In the library's own words: promoted is active, demoted is advisory, retired is archived. Skills of a run that are in
 * no library are "seen".
 */
export const skillStatus = z.enum(["candidate", "unproven", "promoted", "demoted", "quarantined", "retired", "seen"]);
export type SkillStatus = z.infer<typeof skillStatus>;

export const skillsQuery = z.object({
  ...paging,
  source: z.enum(["library", "run"]).default("library"),
  run: z.string().optional().describe("the run whose skills are wanted, with source=run"),
  level: z.string().optional(),
  status: skillStatus.optional(),
  search: z.string().max(500).optional(),
  sort: z.enum(["lift", "uses", "shift", "name"]).default("uses"),
});

export const skillItem = z.object({
  id: z.string(),
  name: z.string(),
  level: z.string(),
  text: z.string(),
  /** When it should be used, where the skill says so. */
  when: z.string().nullable(),
  status: skillStatus,
  /** Trajectories it rests on. */
  evidence: z.int(),
  /** How often it was in a prompt or in the teacher's context. */
  uses: z.int(),
  /** Success with it minus success without it on the same tasks; null: not measured. */
  lift: interval.nullable(),
  /** Mean shift of the teacher with it, in nats a token; null: no teacher read it. */
  shift: z.number().nullable(),
  updatedAt: z.string().nullable(),
});
export type SkillItem = z.infer<typeof skillItem>;

export const skillsAnswer = z.object({
  ...page,
  /** The folder's name; null when there is no library. */
  library: z.string().nullable(),
  skills: z.array(skillItem),
  /** Files of the library that could not be read. */
  problems: z.array(z.object({ file: z.string(), problem: z.string() })),
});

export const skillQuery = z.object({
  id: z.string().min(1),
  source: z.enum(["library", "run"]).default("library"),
  run: z.string().optional(),
});

export const skillDetail = skillItem.extend({
  evidenceAt: z.array(
    z.object({
      /** Null where the evidence does not name a run of this store. */
      run: z.string().nullable(),
      trajectory: z.string(),
      steps: z.array(z.object({ step: z.int(), action: z.string().nullable() })),
    }),
  ),
  /** Success with and without it in use, counted from runs; null: never used. */
  used: z.object({ with: interval.nullable(), without: interval.nullable() }).nullable(),
  /** Everything else its file says, by name. */
  facts: z.record(z.string(), z.unknown()),
  history: z.array(
    z.object({
      time: z.string(),
      who: z.string(),
      what: z.string(),
      from: z.string().nullable(),
      to: z.string().nullable(),
      note: z.string(),
    }),
  ),
});
export type SkillDetail = z.infer<typeof skillDetail>;

export const decisionRequest = z.object({
  id: z.string().min(1),
  /** A skill in quarantine is released before anything else can become of it. */
  decision: z.enum(["promote", "demote", "quarantine", "release", "retire"]),
  /** The author of the decision, for the history. */
  who: z.string().min(1).max(200),
  note: z.string().max(2_000),
  /** release: let it pass although the screen still finds something; needs a note. */
  yes: z.boolean().default(false),
});
export type SkillDecision = z.infer<typeof decisionRequest>;
