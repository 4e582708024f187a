/**
 * SKILL.md: front matter in YAML, then the advice. The Agent-Skills form (`name`, `description`), with what Limbeck knows
 * beside it. A person may edit all of it; what cannot be read is an error that names the field.
 */
import { createHash } from "node:crypto";
import { Document, isMap, isSeq, parseDocument } from "yaml";
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { isObject, type JsonObject } from "limbeck-base/base/json";
import { isTooDeep } from "limbeck-base/base/yaml-depth";
import {
  type Change,
  LIBRARY_LEVELS,
  type LibraryLevel,
  type LibrarySkill,
  NO_STATISTICS,
  STATUSES,
  type When,
} from "./library-skill.ts";

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
export const LONGEST_NAME = 64;
const LONGEST_TEXT = 20_000;

const Count = z.int().min(0).default(0);
const LinkSchema = z.object({
  run: z.string().optional(),
  trajectory: z.string(),
  steps: z.array(z.int().min(0)).default([]),
});
const DifferenceSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });
const Share = z.number().min(0).max(1);

const FrontMatterSchema = z.object({
  name: z.string().max(LONGEST_NAME).regex(NAME, "lower-case words joined by hyphens"),
  description: z.string().min(1).max(1024),
  level: z.enum(LIBRARY_LEVELS).default("task"),
  status: z.enum(STATUSES).default("candidate"),
  source: z.string().default("person"),
  when: z
    .object({
      goals: z.array(z.string()).default([]),
      words: z.array(z.string()).optional(),
      state: z.string().optional(),
    })
    .default({ goals: [] }),
  support: z.object({ successes: Count, failures: Count }).default({ successes: 0, failures: 0 }),
  groundedness: z.number().optional(),
  statistics: z
    .object({
      uses: Count,
      successes: Count,
      failures: Count,
      withoutUses: Count,
      withoutSuccesses: Count,
      utility: z.number().default(0),
      lastUsed: z.string().optional(),
    })
    .default(NO_STATISTICS),
  lift: z
    .object({
      at: z.string(),
      verdict: z.enum(["helps", "harms", "no-lift", "cannot-tell"]),
      over: z.object({ bare: DifferenceSchema, placebo: DifferenceSchema }),
      success: z.object({ skill: Share, bare: Share, placebo: Share }),
      pairs: z.int().min(0),
      promptTokens: z.number().min(0),
      tokensPerPoint: z.number().nullable(),
      setting: z.record(z.string(), z.json()).transform((value) => value as JsonObject),
    })
    .optional()
    // Earlier versions recorded tests without a single pair: nothing was measured, so nothing is known.
    .transform((lift) => (lift?.pairs === 0 ? undefined : lift)),
  restsOn: z
    .object({
      at: z.string(),
      folder: z.string().optional(),
      files: z.array(z.object({ path: z.string(), hash: z.string() })).default([]),
      tools: z.array(z.string()).default([]),
      versions: z.record(z.string(), z.string()).default({}),
    })
    .optional(),
  contradicts: z.array(z.string()).optional(),
  concerns: z.array(z.string()).optional(),
  evidence: z.array(LinkSchema).default([]),
  change: z
    .object({ number: z.int().min(1), at: z.string(), by: z.string(), action: z.string(), why: z.string().optional() })
    .optional(),
});

/** What a file says: the skill, and which change made it so. */
export interface SkillFile {
  readonly skill: LibrarySkill;
  readonly change?: Omit<Change, "status" | "version">;
}

export function readSkillFile(text: string, path: string): SkillFile {
  const match = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text);
  if (match === null) throw badSkill(path, 'it does not begin with front matter between two lines of "---"');
  const [, head = "", body = ""] = match;
  if (isTooDeep(head)) throw badSkill(path, "its front matter is nested too deeply");
  // Aliases can make a small file huge; nothing we write has any.
  const document = parseDocument(head, { prettyErrors: true, uniqueKeys: true });
  const [fault] = document.errors;
  if (fault !== undefined) throw badSkill(path, fault.message.split("\n")[0] ?? "it is no YAML");
  const parsed = FrontMatterSchema.safeParse(toPlain(document, path));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw badSkill(path, `"${issue?.path.join(".") ?? ""}" ${issue?.message ?? "is wrong"}`);
  }
  const skillText = body.trim();
  if (skillText === "" || skillText.length > LONGEST_TEXT) {
    throw badSkill(path, `its text has ${skillText.length} letters; it needs 1 to ${LONGEST_TEXT}`);
  }
  const { change, ...rest } = parsed.data;
  const skill = withoutUndefined({ ...rest, text: skillText }) as unknown as Omit<LibrarySkill, "version">;
  return {
    skill: { ...skill, version: versionOf(skill) },
    ...(change === undefined
      ? {}
      : { change: withoutUndefined(change) as unknown as NonNullable<SkillFile["change"]> }),
  };
}

function toPlain(document: ReturnType<typeof parseDocument>, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (cause) {
    throw badSkill(path, "its front matter uses aliases", cause);
  }
}

export function writeSkillFile({ skill, change }: SkillFile): string {
  const { text, name, description, level, status, source, evidence, ...rest } = skill;
  const facts = { name, description, level, status, source, ...rest, ...(change && { change }), evidence };
  // One object at two places is written twice: files have no aliases.
  const document = new Document(facts, { aliasDuplicateObjects: false });
  // Evidence can be long: last, and a line for each episode.
  const links = document.get("evidence");
  if (isSeq(links)) for (const link of links.items) if (isMap(link)) link.flow = true;
  const head = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return `---\n${head}---\n\n${text.trim()}\n`;
}

function badSkill(path: string, why: string, cause?: unknown): EngineError {
  return new EngineError("bad-skill", `${path} cannot be read as a skill: ${why}.`, { details: { path }, cause });
}

/** zod leaves absent keys as undefined; exact optional properties want them absent. */
function withoutUndefined(value: object): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      if (inner === undefined) return [];
      if (Array.isArray(inner))
        return [[key, inner.map((item: unknown) => (isObject(item) ? withoutUndefined(item) : item))]];
      return [[key, isObject(inner) ? withoutUndefined(inner) : inner]];
    }),
  );
}

// Content hashes: the version of a skill.

const LENGTH = 16;

export function versionOf(skill: { readonly level: LibraryLevel; readonly text: string; readonly when: When }): string {
  const { goals, words = [], state = "" } = skill.when;
  return hashOf(JSON.stringify([skill.level, skill.text.trim(), goals, words, state]));
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, LENGTH);
}
