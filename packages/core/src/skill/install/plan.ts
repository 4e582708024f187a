/** What an installation would write, and what taking it back would. Nothing is written here. */
import { join } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import { textIfThere } from "limbeck-base/base/files";
import type { Library } from "../library/library.ts";
import type { LibrarySkill } from "../library/library-skill.ts";
import { agentSkillFaults, agentSkillFiles, cursorRule, type FormFile, gap, sectionText } from "./agent-skill.ts";
import { agents, type AgentId, type Form, type KnownAgent, type Where } from "./agents.ts";
import { factsOf, type SkillFacts } from "./facts.ts";
import { readInstalled, type FileChange, type InstalledFile } from "./installed.ts";

export interface InstallRequest {
  readonly library: Library;
  readonly agent: AgentId;
  /** Default: the agent's usual one. */
  readonly form?: Form;
  /** For every project of the user. */
  readonly user: boolean;
  readonly where: Where;
  readonly skills: readonly LibrarySkill[];
  /** Also what is not proven. Default: false. */
  readonly force?: boolean;
  /** Now, ISO 8601. */
  readonly at: string;
}

/** Active, or measured to help and stepped down by its uses since. */
export function isProven({ status, lift }: Pick<LibrarySkill, "status" | "lift">): boolean {
  return status === "active" || (status === "advisory" && lift?.verdict === "helps" && lift.pairs > 0);
}

/** The place of an agent for a form; refused by name where it has none. */
export function placeOf({ agent, form, user, where }: Omit<InstallRequest, "library" | "skills" | "force" | "at">): {
  readonly form: Form;
  readonly path: string;
} {
  const { title, forms }: KnownAgent = lookUp<KnownAgent>(agents, agent, "agent");
  const usual = Object.entries(forms).find(([, place]) => !user || place.user !== undefined)?.[0] as Form | undefined;
  const chosen = form ?? usual ?? "skills";
  const place = forms[chosen];
  const path = user ? place?.user?.(where) : place?.project(where);
  if (path !== undefined) return { form: chosen, path };
  const known = Object.entries(forms).flatMap(([id, { user: own }]) => (user && own === undefined ? [] : [id]));
  throw new EngineError(
    "bad-option",
    `${title} reads no ${chosen} from a file${user ? " of the user" : ""}; --as ${known.join(" or --as ")} it does.`,
  );
}

/** One change for each file that differs; those that are as they should be are left out. */
export async function planInstall(request: InstallRequest): Promise<FileChange[]> {
  const { library, skills } = request;
  for (const skill of skills) requireInstallable(skill);
  if (request.force !== true) requireProven(skills);
  const { form, path } = placeOf(request);
  const facts = await Promise.all(skills.map((skill) => datedFacts(library, skill)));
  const list = await readInstalled(library);
  if (form === "section") return await planSection(request, path, facts, list);
  const files = skills.flatMap((skill, at) => {
    const fact = facts[at] as SkillFacts;
    const made =
      form === "rules" ? [cursorRule(fact, skill.level === "general")] : checked(fact, agentSkillFiles(fact));
    return made.map((file) => ({ ...file, skill: skill.name }));
  });
  const changes: FileChange[] = [];
  for (const { path: inside, text, skill } of files) {
    const target = join(path, ...inside.split("/"));
    const before = await textIfThere(target);
    const known = list.find((one) => one.path === target);
    if (before !== undefined && before !== known?.text) throw notOurs(target, known !== undefined);
    if (before === text) continue;
    changes.push({ path: target, before, after: text, written: record(request, "file", target, [skill], text, true) });
  }
  return changes;
}

function requireInstallable({ name, status, concerns }: LibrarySkill): void {
  if (status === "quarantined") {
    throw new EngineError(
      "quarantined",
      `Skill "${name}" is in quarantine (${concerns?.join("; ") ?? "by hand"}) and is never installed; read it, then "limbeck skills release ${name}".`,
    );
  }
  if (status === "archived")
    throw new EngineError("not-in-use", `Skill "${name}" is retired; "limbeck skills promote ${name}" brings it back.`);
}

/** What is written where an agent reads it every time must have been shown to help. */
function requireProven(skills: readonly LibrarySkill[]): void {
  const unproven = skills.filter((skill) => !isProven(skill));
  if (unproven.length === 0) return;
  const named = unproven.map(({ name, status }) => `"${name}" (${status})`).join(", ");
  const names = unproven.map(({ name }) => name).join(" ");
  throw new EngineError(
    "not-proven",
    `Not proven, and so not installed: ${named}. "limbeck lift ${names} --dataset FILE" (or --env ID) measures and promotes what helps; --force installs it as it is.`,
    { details: { skills: unproven.map(({ name }) => name) } },
  );
}

async function datedFacts(library: Library, skill: LibrarySkill): Promise<SkillFacts> {
  const history = await library.history(skill.name);
  const first = history.find(({ version }) => version === skill.version) ?? history[0];
  return factsOf(skill, first?.at ?? "of an unknown date");
}

function checked({ name }: SkillFacts, files: readonly FormFile[]): readonly FormFile[] {
  const [skill] = files;
  const faults = skill === undefined ? [] : agentSkillFaults(skill.text, name);
  if (faults.length === 0) return files;
  throw new EngineError("bad-skill", `Skill "${name}" cannot be written as an Agent Skill: ${faults.join("; ")}.`);
}

function record(
  { agent, user, at }: InstallRequest,
  kind: InstalledFile["kind"],
  path: string,
  skills: readonly string[],
  text: string,
  made: boolean,
): InstalledFile {
  return { path, skills: [...skills], agents: [agent], user, at, kind, text, made, folders: [] };
}

/** Skills that the section has already stay in it, as the library has them now. */
async function planSection(
  request: InstallRequest,
  path: string,
  facts: readonly SkillFacts[],
  list: readonly InstalledFile[],
): Promise<FileChange[]> {
  const known = list.find((one) => one.path === path);
  const before = await textIfThere(path);
  if (known !== undefined && !(before ?? "").includes(known.text)) throw notOurs(path, true);
  const named = new Set(facts.map(({ name }) => name));
  const rest = await remaining(
    request.library,
    (known?.skills ?? []).filter((name) => !named.has(name)),
  );
  const all = [...rest, ...facts];
  const lead = known === undefined ? gap(before ?? "") : (/^\n*/.exec(known.text)?.[0] ?? "");
  const text = `${lead}${sectionText(all)}`;
  const after = known === undefined ? `${before ?? ""}${text}` : swap(before ?? "", known.text, text);
  const isShared = known?.agents.includes(request.agent) === true;
  if (after === before && isShared) return [];
  const made = known?.made ?? before === undefined;
  const names = all.map(({ name }) => name);
  const written = record(request, "section", path, names, text, made);
  const together = [...new Set([...(known?.agents ?? []), request.agent])];
  return [{ path, before, after, written: { ...written, agents: together } }];
}

/** Those that are still in use. */
async function remaining(library: Library, names: readonly string[]): Promise<SkillFacts[]> {
  const facts: SkillFacts[] = [];
  for (const name of names) {
    // One that is gone or cannot be read is not installed any more.
    const skill = await library.read(name).catch(() => undefined);
    if (skill !== undefined && skill.status !== "quarantined" && skill.status !== "archived")
      facts.push(await datedFacts(library, skill));
  }
  return facts;
}

function swap(text: string, old: string, fresh: string): string {
  const at = text.indexOf(old);
  return `${text.slice(0, at)}${fresh}${text.slice(at + old.length)}`;
}

export interface UninstallRequest {
  readonly library: Library;
  /** Default: all. */
  readonly names?: readonly string[];
  /** Default: every agent. */
  readonly agent?: AgentId;
  /** Default: project and user. */
  readonly user?: boolean;
  /** Now, ISO 8601. */
  readonly at: string;
}

export interface Uninstall {
  readonly changes: readonly FileChange[];
  /** Files that were changed since. */
  readonly edited: readonly string[];
}

export async function planUninstall({ library, names, agent, user, at }: UninstallRequest): Promise<Uninstall> {
  const changes: FileChange[] = [];
  const edited: string[] = [];
  for (const known of await readInstalled(library)) {
    const leaving = known.skills.filter((name) => names === undefined || names.includes(name));
    const matches =
      (agent === undefined || known.agents.includes(agent)) && (user === undefined || known.user === user);
    if (leaving.length === 0 || !matches) continue;
    const before = await textIfThere(known.path);
    const isOurs = known.kind === "file" ? before === known.text : (before ?? "").includes(known.text);
    if (before !== undefined && !isOurs) {
      edited.push(known.path);
      continue;
    }
    changes.push(await takeBack({ library, at, known, before, leaving, agent }));
  }
  return { changes, edited };
}

interface Leaving {
  readonly library: Library;
  readonly at: string;
  readonly known: InstalledFile;
  readonly before: string | undefined;
  readonly leaving: readonly string[];
  readonly agent: AgentId | undefined;
}

async function takeBack({ library, at, known, before, leaving, agent }: Leaving): Promise<FileChange> {
  const { path } = known;
  // Somebody has deleted it: only the list must forget it.
  if (before === undefined || known.kind === "file") return { path, before, after: undefined, written: undefined };
  const others = agent === undefined ? [] : known.agents.filter((one) => one !== agent);
  const staying = known.skills.filter((name) => !leaving.includes(name));
  if (others.length > 0) return { path, before, after: before, written: { ...known, agents: others } };
  const facts = await remaining(library, staying);
  if (facts.length > 0) {
    const text = `${/^\n*/.exec(known.text)?.[0] ?? ""}${sectionText(facts)}`;
    const written = { ...known, text, skills: facts.map(({ name }) => name), at };
    return { path, before, after: swap(before, known.text, text), written };
  }
  const left = swap(before, known.text, "");
  return { path, before, after: known.made && left === "" ? undefined : left, written: undefined };
}

function notOurs(path: string, wasOurs: boolean): EngineError {
  return new EngineError(
    "target-exists",
    wasOurs
      ? `"${path}" was changed by hand since it was installed, and is left as it is. Put the change into the library's skill, or move the file away, and install again.`
      : `"${path}" is there and was not installed by Limbeck; it is left as it is. Rename the skill or the file.`,
  );
}
