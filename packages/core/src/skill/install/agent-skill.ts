/**
 * The Agent Skills form (agentskills.io/specification, read 2026-11): a folder with SKILL.md, whose front matter has name,
 * description and a map of texts; details lie in references/. Only what the form knows stands in the front matter.
 */
import { Document, parseDocument, stringify } from "yaml";
import { isObject } from "limbeck-base/base/json";
import { isTooDeep } from "limbeck-base/base/yaml-depth";
import { factLines, type SkillFacts } from "./facts.ts";

export interface FormFile {
  /** From the folder that the agent reads, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const SHOWN_SESSIONS = 5;

export function agentSkillFiles(facts: SkillFacts): FormFile[] {
  const { name, description, advice, sessions, lift, date, version, files, tools, versions } = facts;
  const references = sessions.length > SHOWN_SESSIONS;
  const metadata = {
    "limbeck-version": version,
    "limbeck-lift": lift,
    "limbeck-date": date,
    "limbeck-sessions": String(sessions.length),
    ...(files.length === 0 ? {} : { "limbeck-stale-files": files.join(" ") }),
    ...(tools.length === 0 ? {} : { "limbeck-stale-tools": tools.join(" ") }),
    ...(versions.length === 0 ? {} : { "limbeck-stale-versions": versions.join(", ") }),
  };
  const body = [
    `# ${name}`,
    "",
    advice,
    "",
    "## What is known of it",
    "",
    ...factLines(facts, { most: SHOWN_SESSIONS }),
    ...(references ? ["- All sessions: [references/sessions.md](references/sessions.md)"] : []),
  ];
  const skill = {
    path: `${name}/SKILL.md`,
    text: `${frontMatter({ name, description, metadata })}\n${body.join("\n")}\n`,
  };
  return references ? [skill, { path: `${name}/references/sessions.md`, text: sessionsText(facts) }] : [skill];
}

/** Quoted texts, so that every reader of YAML takes them as texts. */
export function frontMatter(fields: Readonly<Record<string, unknown>>): string {
  const document = new Document(fields, { aliasDuplicateObjects: false });
  const text = document.toString({ lineWidth: 0, defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" });
  return `---\n${text}---\n`;
}

function sessionsText({ name, sessions }: SkillFacts): string {
  const lines = sessions.map(({ run, trajectory, steps }) => {
    const where = run === undefined ? "" : `, run \`${run}\``;
    return `- \`${trajectory}\`${where}${steps.length === 0 ? "" : `, steps ${steps.join(" ")}`}`;
  });
  return [`# Sessions behind ${name}`, "", ...lines, ""].join("\n");
}

// A rule of Cursor (.cursor/rules/NAME.mdc): offered by its description, or always where it is for every task.

export function cursorRule(facts: SkillFacts, always: boolean): FormFile {
  const { name, description, advice } = facts;
  // Cursor's own reader takes the rest of the line as it is: quotes only where YAML cannot do without.
  const head = [
    "---",
    stringify({ description }, { lineWidth: 0 }).trimEnd(),
    "globs:",
    `alwaysApply: ${always}`,
    "---",
  ];
  const body = [`# ${name}`, "", advice, "", "## What is known of it", "", ...factLines(facts)];
  return { path: `${name}.mdc`, text: `${[...head, "", ...body].join("\n")}\n` };
}

// Skills as a section of AGENTS.md or CLAUDE.md, between two marks; the rest of the file is left as it is.

const BEGIN = "<!-- limbeck skills: begin; limbeck skills uninstall takes this out -->";
const END = "<!-- limbeck skills: end -->";

export function sectionText(skills: readonly SkillFacts[]): string {
  const parts = skills.flatMap((facts) => [
    `### ${facts.name}`,
    "",
    facts.advice,
    "",
    ...factLines(facts, { most: 3 }),
    "",
  ]);
  return [BEGIN, "", "## Skills learnt from earlier sessions", "", ...parts, END, ""].join("\n");
}

/** What stands between a file's last line and the section. */
export function gap(before: string): string {
  if (before === "" || before.endsWith("\n\n")) return "";
  return before.endsWith("\n") ? "\n" : "\n\n";
}

// Whether a file is a skill of the Agent Skills form, by the rules of its specification (read 2026-11): two fields must be
// there, four may be, names are those of their folders. Readers differ in their YAML; the strictest is served.

const FIELDS = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
const LONGEST = { name: 64, description: 1024, compatibility: 500 } as const;
/** The specification advises fewer than 500 lines for the whole file; what is longer belongs into references. */
const MOST_LINES = 500;

/** What breaks the rules, in words; empty where nothing does. */
export function agentSkillFaults(text: string, folder: string): string[] {
  // A reader that looks for the next three hyphens must find the end of the front matter there.
  const match = /^---\n([\s\S]*?)\n---\n/.exec(text);
  if (match === null) return ['it does not begin with front matter between two lines of "---"'];
  const [whole, head = ""] = match;
  if (head.includes("---")) return ['its front matter holds "---", where some readers stop'];
  if (isTooDeep(head)) return ["its front matter is nested too deeply"];
  const document = parseDocument(head, { uniqueKeys: true });
  const [fault] = document.errors;
  if (fault !== undefined) return [`its front matter is no YAML: ${fault.message.split("\n")[0]}`];
  const fields: unknown = document.toJS({ maxAliasCount: 0 });
  if (!isObject(fields)) return ["its front matter is no map"];
  const faults = Object.keys(fields)
    .filter((field) => !FIELDS.includes(field))
    .map((field) => `"${field}" is no field of the form; there are ${FIELDS.join(", ")}`);
  faults.push(...nameFaults(fields["name"], folder), ...textFaults(fields, "description", true));
  faults.push(...textFaults(fields, "compatibility", false));
  for (const field of ["license", "allowed-tools"]) {
    if (fields[field] !== undefined && typeof fields[field] !== "string") faults.push(`"${field}" is no text`);
  }
  const metadata = fields["metadata"];
  if (
    metadata !== undefined &&
    !(isObject(metadata) && Object.values(metadata).every((one) => typeof one === "string"))
  )
    faults.push('"metadata" is no map of texts');
  if (text.slice(whole.length).trim() === "") faults.push("it has no instructions behind its front matter");
  if (text.split("\n").length > MOST_LINES) faults.push(`it has more than ${MOST_LINES} lines`);
  return faults;
}

function nameFaults(name: unknown, folder: string): string[] {
  if (typeof name !== "string" || name === "") return ['"name" is missing'];
  const faults = [];
  if (name.length > LONGEST.name) faults.push(`"name" has more than ${LONGEST.name} letters`);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) faults.push('"name" is not lower-case words joined by single hyphens');
  if (name !== folder) faults.push(`"name" is "${name}" and its folder "${folder}"`);
  return faults;
}

function textFaults(
  fields: Readonly<Record<string, unknown>>,
  field: "description" | "compatibility",
  needed: boolean,
): string[] {
  const value = fields[field];
  if (value === undefined && !needed) return [];
  if (typeof value !== "string" || value.trim() === "") return [`"${field}" is missing or no text`];
  return value.length > LONGEST[field] ? [`"${field}" has more than ${LONGEST[field]} letters`] : [];
}
