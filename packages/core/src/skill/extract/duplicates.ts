/** Skills that say the same, and skills that say the opposite. */
import type { Link } from "../library/library-skill.ts";
import type { NewSkill } from "../library/library.ts";
import { ASKED, jaccard, wordSet } from "./words.ts";

/** From this likeness of words on, two texts of one level are one skill. */
const SAME = 0.9;

/** The first of its like keeps its words and takes the others' goals and evidence. */
export function mergeDuplicates(skills: readonly NewSkill[]): NewSkill[] {
  const kept: { skill: NewSkill; words: ReadonlySet<string> }[] = [];
  for (const skill of skills) {
    const words = wordSet(skill.text);
    const at = kept.findIndex((other) => isSame(other.skill, skill, jaccard(other.words, words)));
    const known = kept[at];
    if (known === undefined) kept.push({ skill, words });
    else kept[at] = { ...known, skill: mergeSkills(known.skill, skill) };
  }
  return kept.map(({ skill }) => skill);
}

/** Whether one may stand for the other: the same level, request where it names one, places and nearly the same words. */
export function isSame(
  one: Pick<NewSkill, "level" | "text">,
  other: Pick<NewSkill, "level" | "text">,
  likeness?: number,
): boolean {
  if (one.level !== other.level) return false;
  if (one.text === other.text) return true;
  if (requestOf(one.text) !== requestOf(other.text)) return false;
  const alike = likeness ?? jaccard(wordSet(one.text), wordSet(other.text));
  return alike >= SAME && places(one.text) === places(other.text);
}

function requestOf(text: string): string {
  return text.startsWith(ASKED) ? (text.split("\n", 1)[0] ?? "") : "";
}

function places(text: string): string {
  return [...text.matchAll(/\{\d+\}/g)].map(([place]) => place).join("");
}

export function mergeSkills(one: NewSkill, other: NewSkill): NewSkill {
  const goals = [...new Set([...one.when.goals, ...other.when.goals])];
  const evidence = mergeLinks([...one.evidence, ...other.evidence]);
  const fresh = mergeLinks(other.evidence).length > 0 && evidence.length > one.evidence.length;
  // Episodes that both rest on were counted by both.
  const apart = evidence.length === mergeLinks(one.evidence).length + mergeLinks(other.evidence).length;
  const sum = (field: "successes" | "failures"): number =>
    apart && fresh ? one.support[field] + other.support[field] : Math.max(one.support[field], other.support[field]);
  const concerns = [...new Set([...(one.concerns ?? []), ...(other.concerns ?? [])])];
  return {
    ...one,
    when: { ...one.when, goals },
    evidence,
    support: { successes: sum("successes"), failures: sum("failures") },
    ...(fresh && other.restsOn !== undefined ? { restsOn: other.restsOn } : {}),
    ...(concerns.length === 0 ? {} : { concerns, status: "quarantined" }),
  };
}

/** One link for each trajectory, with all its steps. */
export function mergeLinks(links: readonly Link[]): Link[] {
  const found = new Map<string, { link: Link; steps: Set<number> }>();
  for (const link of links) {
    const key = JSON.stringify([link.run ?? "", link.trajectory]);
    const known = found.get(key) ?? { link, steps: new Set<number>() };
    found.set(key, known);
    for (const step of link.steps) known.steps.add(step);
  }
  return [...found.values()].map(({ link, steps }) => ({ ...link, steps: [...steps].sort((a, b) => a - b) }));
}

interface Stance {
  readonly does: ReadonlySet<string>;
  readonly avoids: ReadonlySet<string>;
}

type Advice = Pick<NewSkill, "text" | "when">;

/** For each skill, which of the others share a goal with it and advise what it warns of, or the other way about. */
export function findContradictions<Other extends Advice>(
  skills: readonly Advice[],
  others: readonly Other[],
): Other[][] {
  const known = others.map((other) => ({ other, stance: stanceOf(other.text) }));
  return skills.map((skill) => {
    const mine = stanceOf(skill.text);
    if (mine.does.size + mine.avoids.size === 0) return [];
    return known.flatMap(({ other, stance }) => {
      const against = overlaps(mine.does, stance.avoids) || overlaps(mine.avoids, stance.does);
      return against && meet(skill.when.goals, other.when.goals) ? [other] : [];
    });
  });
}

/** A skill without goals is for all of them. */
function meet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === 0 || other.length === 0 || one.some((goal) => other.includes(goal));
}

function overlaps(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].some((action) => other.has(action));
}

const WARNING = /^(?:refused|useless|leads back|do not repeat|already tried|not|never|avoid|do not|don't)\b[: ]?/i;

/** Actions that a text advises, and those it warns of, clause by clause. */
function stanceOf(text: string): Stance {
  const does = new Set<string>();
  const avoids = new Set<string>();
  for (const sentence of text.split(/[.\n]+\s*/)) {
    const warns = WARNING.test(sentence);
    const body = sentence.replace(WARNING, "").replace(/^[^:;]{0,40}:/, "");
    for (const clause of body.split(/[;,]/)) {
      const plain = clause
        .toLowerCase()
        .replaceAll(/\b(?:the|a|an|another|other)\b/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim();
      if (plain !== "" && plain.split(" ").length >= 2) (warns ? avoids : does).add(plain);
    }
  }
  return { does, avoids };
}
