/**
 * The Agent Skills form (agentskills.io/specification, read 2026-11): a folder with SKILL.md, whose front matter has name,
 * description and a map of texts; details lie in references/. Only what the form knows stands in the front matter.
 */
import { Document } from "yaml";
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
