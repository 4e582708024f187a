/** Reads an analyst's answer: which object is meant, and what of it can be used. */
import { EngineError } from "limbeck-base/base/errors";
import type { EngineErrorCode } from "limbeck-base/base/error-codes";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { createSkill } from "../create-skill.ts";
import type { Analysis } from "../skill.ts";
import { findObjects } from "./find-objects.ts";
import type { Decoded, DecodedObject } from "./json-text.ts";

export interface ParsedAnalysis {
  readonly summary: string;
  readonly episodeSkill: string;
  /** At most K, in the order written, candidates only. A text may be blank. */
  readonly stepSkills: ReadonlyMap<number, string>;
}

export type ParseResult =
  | ({ readonly ok: true } & ParsedAnalysis)
  | { readonly ok: false; readonly error: EngineError };

export function parseAnalysis(answer: string, candidates: readonly number[], maxStepSkills: number): ParseResult {
  const objects = findObjects(answer);
  const chosen = objects.find((object) => object.has("episode_skill")) ?? objects[0];
  if (chosen === undefined) {
    return failed(
      "analysis-no-object",
      "The answer holds no JSON object. Answer with one JSON object and nothing else.",
    );
  }
  const episodeSkill = toText(chosen.get("episode_skill")).trim();
  if (episodeSkill === "") {
    return failed("analysis-no-skill", 'The object has no "episode_skill", or a blank one. It must be a text.');
  }
  return {
    ok: true,
    summary: toText(chosen.get("episode_summary")).trim(),
    episodeSkill,
    stepSkills: readStepSkills(chosen.get("step_skills"), candidates, maxStepSkills),
  };
}

function readStepSkills(value: Decoded | undefined, candidates: readonly number[], most: number): Map<number, string> {
  const skills = new Map<number, string>();
  if (!isObject(value)) return skills;
  const known = new Set(candidates);
  for (const [key, text] of value) {
    const step = /^\s*[+-]?\d+\s*$/.test(key) ? Number(key) : undefined;
    if (step === undefined || !known.has(step)) continue;
    if (skills.size >= most && !skills.has(step)) break;
    skills.set(step, toText(text).trim());
  }
  return skills;
}

function isObject(value: Decoded | undefined): value is DecodedObject {
  return value instanceof Map;
}

/** A list is read as its parts one after the other; objects are not read. */
function toText(value: Decoded | undefined): string {
  if (value === undefined || value === null || isObject(value)) return "";
  if (typeof value === "object") return value.map(toText).join(" ");
  return String(value);
}

function failed(code: EngineErrorCode, message: string): ParseResult {
  return { ok: false, error: new EngineError(code, message) };
}

/** What was read as the skills of an analysis; a step skill without words is none. */
export function skillsOf(
  { id, steps }: Trajectory,
  { summary, episodeSkill, stepSkills }: ParsedAnalysis,
): Pick<Analysis, "episodeSkill" | "stepSkills" | "episodeSummary"> {
  const all = [{ trajectory: id, steps: steps.map(({ index }) => index) }];
  const written = [...stepSkills].filter(([, text]) => text !== "");
  return {
    ...(summary === "" ? {} : { episodeSummary: summary }),
    episodeSkill: createSkill("episode", episodeSkill, all),
    stepSkills: new Map(
      written.map(([step, text]) => [step, createSkill("step", text, [{ trajectory: id, steps: [step] }])]),
    ),
  };
}
