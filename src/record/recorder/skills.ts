/** Skills as the injector takes them: short advice in text, with a plain word on when it fits. */
import { isObject, objectsOf } from "./lines.ts";

export interface InjectedSkill {
  readonly id: string;
  readonly text: string;
  /** Advice for the whole task, or for one decision in it. Default: "episode". */
  readonly level?: "episode" | "step";
  readonly when?: SkillCondition;
}

/** Data, not code: a library may come from a file or an address. */
export interface SkillCondition {
  /** Fits only where at least one of these words is asked about. */
  readonly words?: readonly string[];
  /** The goal it was learnt on; compared with what is asked in place of the skill's own text. */
  readonly goal?: string;
}

export interface ReadSkills {
  readonly skills: readonly InjectedSkill[];
  /** Entries that were no skills, or whose id was there already. */
  readonly skipped: number;
}

/** A list, an object with a list under "skills", or a library's index. One bad entry does not spoil the others. */
export function readSkills(value: unknown): ReadSkills {
  const list: unknown = isObject(value) ? (fromIndex(value["rows"]) ?? value["skills"]) : value;
  if (!Array.isArray(list)) {
    throw new TypeError('Skills must be a list, or an object with a list under "skills"; see the README for one.');
  }
  const byId = new Map<string, InjectedSkill>();
  for (const entry of objectsOf(list)) {
    const skill = readSkill(entry);
    if (skill !== undefined && !byId.has(skill.id)) byId.set(skill.id, skill);
  }
  return { skills: [...byId.values()], skipped: list.length - byId.size };
}

/** Skills in use of a `limbeck skills` library. {1} and {2} stand for words of the goal: the goal is told with them. */
function fromIndex(rows: unknown): object[] | undefined {
  if (!Array.isArray(rows)) return undefined;
  return objectsOf(rows).flatMap(({ entry }) => {
    if (!isObject(entry) || (entry["status"] !== "active" && entry["status"] !== "advisory")) return [];
    const { name, text, level, when } = entry;
    const goals = isObject(when) && isTexts(when["goals"]) ? when["goals"] : [];
    const told = goals.length === 0 ? "" : `For goals like ${goals.map((goal) => JSON.stringify(goal)).join(" or ")}: `;
    const about = goals
      .join(" ")
      .replaceAll(/\{\d+\}/g, " ")
      .trim();
    const fits = level === "general" || about === "" ? {} : { when: { goal: about } };
    return [
      {
        id: name,
        text: `${told}${typeof text === "string" ? text : ""}`,
        level: level === "step" ? "step" : "episode",
        ...fits,
      },
    ];
  });
}

/** Nothing where a field is not what it must be: a condition that cannot be read must not fit everywhere. */
function readSkill(entry: Readonly<Record<string, unknown>>): InjectedSkill | undefined {
  const { id, text, level = "episode", when = {} } = entry;
  if (typeof id !== "string" || id === "" || typeof text !== "string" || text.trim() === "") return undefined;
  if ((level !== "episode" && level !== "step") || !isObject(when)) return undefined;
  const { words, goal } = when as Readonly<Record<string, unknown>>;
  if (words !== undefined && !isTexts(words)) return undefined;
  if (goal !== undefined && typeof goal !== "string") return undefined;
  return {
    id,
    text,
    level,
    when: { ...(words === undefined ? {} : { words }), ...(goal === undefined ? {} : { goal }) },
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
