/** What is known of a skill, in the words that every form of it carries: its lift, its date, its sessions, what ends it. */
import { AGENTS_CHOICE, selectorNotice } from "limbeck-recorder/selection/proven-with";
import type { LibrarySkill, Link } from "../library/library-skill.ts";
import { screenSkill } from "../screen/screen.ts";

export interface SkillFacts {
  readonly name: string;
  /** What it is and when to use it, for the agent's choice. */
  readonly description: string;
  /** Markdown. */
  readonly advice: string;
  /** Requests that it is for; {1} stands for a word. */
  readonly goals: readonly string[];
  /** The lift with its interval, or "unproven". */
  readonly lift: string;
  /** Of the day, when it was learnt or last looked at. */
  readonly date: string;
  readonly version: string;
  readonly sessions: readonly Link[];
  readonly files: readonly string[];
  readonly tools: readonly string[];
  readonly versions: readonly string[];
  readonly support: LibrarySkill["support"];
}

const LONGEST_DESCRIPTION = 1_000;
const LONGEST_GOAL = 200;

/** `date` is the skill's, where it does not say when what it rests on was looked at. */
export function factsOf(skill: LibrarySkill, date: string): SkillFacts {
  const { name, description, text, when, evidence, restsOn, support, version } = skill;
  const versions = Object.entries(restsOn?.versions ?? {}).filter((pair) => pair.every(isPlainName));
  return {
    name,
    description: plainLine(description, LONGEST_DESCRIPTION),
    advice: plainMarkdown(text),
    goals: when.goals.map((goal) => plainLine(goal, LONGEST_GOAL)),
    lift: liftWords(skill),
    date: (restsOn?.at ?? date).slice(0, 10),
    version,
    sessions: evidence.filter(
      (link) => isPlainName(link.trajectory) && (link.run === undefined || isPlainName(link.run)),
    ),
    files: (restsOn?.files ?? []).map(({ path }) => path).filter(isPlainName),
    tools: (restsOn?.tools ?? []).filter(isPlainName),
    versions: versions.map(([what, which]) => `${what} ${which}`),
    support,
  };
}

/** "unproven" unless a lift test has found that it helps or what else it does. */
function liftWords({ lift }: Pick<LibrarySkill, "lift">): string {
  if (lift === undefined || lift.pairs === 0) return "unproven";
  const { value, low, high } = lift.over.placebo;
  const measured = `${withSign(value)} success over a placebo (95% interval ${withSign(low)} to ${withSign(high)}, ${lift.pairs} pairs, ${lift.at.slice(0, 10)})`;
  if (lift.verdict !== "helps") return `unproven: ${measured}`;
  // What is installed is chosen by the agent that reads it.
  return `${measured}; ${selectorNotice({ lift }, AGENTS_CHOICE)}`;
}

/** A few lines of Markdown for the end of a form. */
export function factLines(facts: SkillFacts, { most = 5 }: { readonly most?: number } = {}): string[] {
  const { lift, date, sessions, files, tools, versions, goals, support } = facts;
  const shown = sessions.slice(0, most).map(({ trajectory }) => `\`${trajectory}\``);
  const more = sessions.length > most ? ` and ${sessions.length - most} more` : "";
  const ends = [
    ...(files.length === 0 ? [] : [`a change of ${files.map((file) => `\`${file}\``).join(", ")}`]),
    ...(tools.length === 0 ? [] : [`the end of the ${tools.length === 1 ? "tool" : "tools"} ${tools.join(", ")}`]),
    ...(versions.length === 0 ? [] : [`another major version than ${versions.join(", ")}`]),
  ];
  return [
    ...goals.slice(0, 3).map((goal) => `- For requests like: ${goal}`),
    ...(/\{\d+\}/.test([...goals, facts.advice].join(" ")) ? ["- {1}, {2}, … stand for words of the request."] : []),
    `- Lift: ${lift}`,
    `- Date: ${date}`,
    `- Learnt from ${sessions.length} ${sessions.length === 1 ? "session" : "sessions"}${shown.length === 0 ? "" : `: ${shown.join(", ")}${more}`}; of its kind ${support.successes} succeeded and ${support.failures} failed.`,
    `- Stale after ${ends.length === 0 ? "a change of what it speaks of" : ends.join("; ")}.`,
  ];
}

// Words of skills in files that agents obey. The screen has looked at what they say; this takes away what they could do:
// Claude Code runs !`command` in a skill and reads files that CLAUDE.md names with @, and a comment could end a section.

// Controls, marks that reorder text, invisible fillers and halves of letters; line breaks and tabs stay.
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** The advice as Markdown that nothing carries out. */
export function plainMarkdown(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(UNSEEN, "")
    .replaceAll("!`", "! `")
    .replaceAll(/```+[ \t]*!/g, "```text")
    .replaceAll("<!--", "&lt;!--")
    .replaceAll("-->", "--&gt;")
    .replaceAll("${", "$ {")
    .replaceAll("$ARGUMENTS", "$ ARGUMENTS")
    .split("\n")
    .map(withoutImports)
    .join("\n")
    .trim();
}

/** @name begins an import of a file where it stands outside of code. */
function withoutImports(line: string): string {
  return line.replaceAll(/(^|[\s(])@([\w./~-]+)/g, (all, before: string, name: string, at: number) => {
    const isCode = (line.slice(0, at).match(/`/g) ?? []).length % 2 === 1;
    return isCode ? all : `${before}\`@${name}\``;
  });
}

/** One line, for front matter and headings. */
function plainLine(text: string, most: number): string {
  // Three hyphens end front matter for some readers.
  const line = plainMarkdown(text).replaceAll(/\s+/g, " ").replaceAll(/-{3,}/g, "--").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`;
}

/** Ids, paths and versions come from sessions too. Whatever is more than a name is left out. */
function isPlainName(name: string): boolean {
  return /^[\w@.+^~<>=:/-]{1,200}$/.test(name) && screenSkill(name.replaceAll(/[^\p{L}\p{N}.]+/gu, " ")).length === 0;
}

/** A difference: "+0.125". */
export function withSign(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(3)}`;
}
