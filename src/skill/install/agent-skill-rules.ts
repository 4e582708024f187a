/**
 * Whether a file is a skill of the Agent Skills form, by the rules of its specification (read 2026-11): two fields must be
 * there, four may be, names are those of their folders. Readers differ in their YAML; the strictest is served.
 */
import { parseDocument } from "yaml";
import { isObject } from "../../base/index.ts";
import { isTooDeep } from "../../base/yaml-depth.ts";

const FIELDS = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
const LONGEST = { name: 64, description: 1024, compatibility: 500 } as const;
/** Agents are told to keep the whole file below 500 lines; what is longer belongs into references. */
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
