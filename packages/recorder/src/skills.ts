/** Skills as the injector takes them: a library of `limbeck skills`, or short advice in text with a plain word on when it fits. */
import { isObject, objectsOf } from "./lines.ts";
import { isInUse, LIBRARY_LEVELS, type LibraryLevel, type OfferedSkill } from "./selection/offered-skill.ts";

export interface InjectedSkill {
  readonly id: string;
  readonly text: string;
  /** Advice for every task, for one kind of task ("episode" says the same), or for one decision. Default: "task". */
  readonly level?: LibraryLevel | "episode";
  readonly when?: SkillCondition;
}

/** Data, not code: a library may come from a file or an address. */
export interface SkillCondition {
  /** Fits only where at least one of these words is asked about. */
  readonly words?: readonly string[];
  /** The goal it was learnt on, {1} for any word; compared with what is asked in place of the skill's own text. */
  readonly goal?: string;
}

export interface ReadSkills {
  /** Those in use. */
  readonly skills: readonly OfferedSkill[];
  /** Entries that were no skills, or whose id was there already. */
  readonly skipped: number;
}

/** A list, an object with a list under "skills", or a library's index. One bad entry does not spoil the others. */
export function readSkills(value: unknown): ReadSkills {
  const rows: unknown = isObject(value) ? value["rows"] : undefined;
  const list: unknown = rows ?? (isObject(value) ? value["skills"] : value);
  if (!Array.isArray(list)) {
    throw new TypeError('Skills must be a list, or an object with a list under "skills"; see the README for one.');
  }
  const byName = new Map<string, OfferedSkill>();
  for (const entry of objectsOf(list)) {
    const skill = rows === undefined ? readPlain(entry) : readEntry(entry["entry"]);
    if (skill !== undefined && !byName.has(skill.name)) byName.set(skill.name, skill);
  }
  return { skills: [...byName.values()].filter(isInUse), skipped: list.length - byName.size };
}

type Fields = Readonly<Record<string, unknown>>;

/** A skill of a library, as its index has it: everything that the selection goes by. */
function readEntry(entry: unknown): OfferedSkill | undefined {
  if (!isObject(entry)) return undefined;
  const { name, version, level, status, text, when, statistics, contradicts, lift } = entry as Fields;
  if (!isName(name) || !isName(version) || !isLevel(level) || !isName(status) || !isName(text)) return undefined;
  if (!isObject(when) || !isObject(statistics) || !isTextsOrNone(contradicts)) return undefined;
  const { goals, words, state } = when as Fields;
  if (!isTexts(goals) || !isTextsOrNone(words) || (state !== undefined && typeof state !== "string")) return undefined;
  const { successes, failures, utility } = statistics as Fields;
  if (![successes, failures, utility].every((value) => typeof value === "number" && Number.isFinite(value)))
    return undefined;
  return {
    name,
    version,
    level,
    status,
    text,
    when: { goals, ...(words === undefined ? {} : { words }), ...(state === undefined ? {} : { state }) },
    statistics: { successes, failures, utility } as OfferedSkill["statistics"],
    ...(contradicts === undefined ? {} : { contradicts }),
    ...readLift(lift),
  };
}

/** What a proof says of what chose there; what cannot be read is no proof. */
function readLift(lift: unknown): Pick<OfferedSkill, "lift"> {
  if (!isObject(lift)) return {};
  const { verdict, setting } = lift;
  return typeof verdict === "string" && isObject(setting) ? { lift: { verdict, setting } } : {};
}

/** Nothing where a field is not what it must be: a condition that cannot be read must not fit everywhere. */
function readPlain(entry: Fields): OfferedSkill | undefined {
  const { id, text, level: given = "task", when = {} } = entry;
  const level = given === "episode" ? "task" : given;
  if (!isName(id) || !isName(text) || text.trim() === "" || !isLevel(level) || !isObject(when)) return undefined;
  const { words, goal } = when as Fields;
  if (!isTextsOrNone(words) || (goal !== undefined && typeof goal !== "string")) return undefined;
  const goals = goal !== undefined ? [goal] : words === undefined && level !== "general" ? [text] : [];
  return {
    name: id,
    version: "",
    level,
    // A skill in a list is in use.
    status: "active",
    text,
    when: { goals, ...(words === undefined ? {} : { words }) },
    statistics: { successes: 0, failures: 0, utility: 0 },
  };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isLevel(value: unknown): value is LibraryLevel {
  return LIBRARY_LEVELS.some((level) => level === value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isTextsOrNone(value: unknown): value is readonly string[] | undefined {
  return value === undefined || isTexts(value);
}
