/**
 * What a skill rests on: the files, tools and versions that it names, as they are when it is learnt. What has become of them
 * since says whether it is stale.
 */
import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { isObject, parseJson } from "limbeck-base/base/json";
import { textIfThere } from "limbeck-base/base/files";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { plainBytes } from "limbeck-base/base/plain-file";
import type { LibrarySkill, RestsOn } from "../library/library-skill.ts";

const LARGEST_FILE = 4_000_000;
const MOST_FILES = 12;
const MOST_TOKENS = 400;
/** Their versions count, not their letters: every release changes them. */
const MANIFESTS =
  /(?:^|\/)(?:package(?:-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.(?:toml|lock)|go\.(?:mod|sum)|CHANGELOG\.md)$/;

/** Undefined where it names nothing that could change. `evidence` are the trajectories that it cites. */
export async function restsOn(
  skill: Pick<LibrarySkill, "text">,
  evidence: readonly Trajectory[],
  at: string,
): Promise<RestsOn | undefined> {
  const sessions = evidence.map(sessionOf);
  const folder = sessions.findLast(({ cwd }) => cwd !== undefined && isAbsolute(cwd))?.cwd;
  const tools = [...new Set(evidence.flatMap(toolsOf))].filter((tool) => names(skill.text, tool));
  const programs = sessions.flatMap(({ format, version }) =>
    format === undefined || version === undefined ? [] : [[format, version] as const],
  );
  const files = folder === undefined ? [] : await filesNamed(skill.text, folder);
  const packages = folder === undefined ? [] : await packagesNamed(skill.text, folder);
  const versions = Object.fromEntries([...programs, ...packages]);
  if (files.length + tools.length + Object.keys(versions).length === 0) return undefined;
  return { at, ...(folder === undefined ? {} : { folder }), files, tools, versions };
}

/** Why it is stale, in words; empty while nothing has changed that can be seen from here. */
export async function stalenessOf(
  { folder, files, tools, versions, at }: RestsOn,
  later: readonly Trajectory[],
  here: string,
): Promise<string[]> {
  const root = folder !== undefined && (await isFolder(folder)) ? folder : here;
  const why: string[] = [];
  for (const { path, hash } of files) {
    const now = await hashOfFile(root, path);
    if (now === undefined) why.push(`${path} is gone`);
    else if (now !== hash) why.push(`${path} has changed`);
  }
  const packages = await packageVersions(root);
  for (const [name, version] of Object.entries(versions)) {
    const now = packages?.get(name) ?? latestProgram(name, later, at);
    if (now !== undefined && major(now) !== major(version)) why.push(`${name} is ${now} now, was ${version}`);
  }
  for (const tool of tools) if (isToolGone(tool, later, at)) why.push(`the tool ${tool} is no longer there`);
  return why;
}

interface SessionInfo {
  readonly cwd?: string;
  readonly format?: string;
  readonly version?: string;
}

function sessionOf({ info }: Pick<Trajectory, "info">): SessionInfo {
  const session = info?.["session"];
  if (!isObject(session)) return {};
  const text = (field: string): object => (typeof session[field] === "string" ? { [field]: session[field] } : {});
  return { ...text("cwd"), ...text("format"), ...text("version") };
}

function toolsOf({ steps }: Pick<Trajectory, "steps">): string[] {
  return steps.flatMap(({ reply }) => (reply?.toolCalls ?? []).map(({ name }) => name));
}

function names(text: string, word: string): boolean {
  return new Set(text.split(/[^\w.@:/-]+/).map((token) => token.replace(/[.:]+$/, ""))).has(word);
}

/** Only what lies below the folder: the words come from sessions. */
async function filesNamed(text: string, folder: string): Promise<RestsOn["files"]> {
  const tokens = [...new Set(text.match(/[\w@.+~/-]+/g) ?? [])]
    .map((token) => inside(folder, token.replace(/[.:]+$/, "")))
    .filter((token) => token !== undefined && /[./]/.test(token) && !MANIFESTS.test(token))
    .slice(0, MOST_TOKENS);
  const found: { path: string; hash: string }[] = [];
  for (const path of tokens) {
    if (found.length >= MOST_FILES) break;
    const hash = path === undefined ? undefined : await hashOfFile(folder, path);
    if (path !== undefined && hash !== undefined) found.push({ path, hash });
  }
  return found;
}

function inside(folder: string, token: string): string | undefined {
  const path = isAbsolute(token) ? relative(folder, token) : relative(folder, join(folder, token));
  return path === "" || path.startsWith("..") || isAbsolute(path) ? undefined : path.split(sep).join("/");
}

async function hashOfFile(folder: string, path: string): Promise<string | undefined> {
  try {
    const [root, whole] = [await realpath(folder), await realpath(join(folder, path))];
    if (inside(root, whole) === undefined) return undefined;
    const about = await stat(whole);
    if (!about.isFile() || about.size > LARGEST_FILE) return undefined;
    return createHash("sha256")
      .update(await plainBytes(whole))
      .digest("hex")
      .slice(0, 16);
  } catch {
    // A file that cannot be read has no mark to compare.
    return undefined;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (about) => about.isDirectory(),
    () => false,
  );
}

async function packagesNamed(text: string, folder: string): Promise<[string, string][]> {
  const versions = await packageVersions(folder);
  return [...(versions ?? [])].filter(([name]) => names(text, name));
}

/** What package.json asks for, by name; undefined where there is none. */
async function packageVersions(folder: string): Promise<Map<string, string> | undefined> {
  const text = await textIfThere(join(folder, "package.json")).catch(() => undefined);
  const manifest = text === undefined ? undefined : parseJson(text);
  if (!isObject(manifest)) return undefined;
  const found = new Map<string, string>();
  for (const field of ["dependencies", "devDependencies", "peerDependencies"]) {
    const table = manifest[field];
    if (!isObject(table)) continue;
    for (const [name, version] of Object.entries(table)) if (typeof version === "string") found.set(name, version);
  }
  return found;
}

function major(version: string): string {
  return /\d+/.exec(version)?.[0] ?? version;
}

const isLater = ({ timing }: Pick<Trajectory, "timing">, at: string): boolean => (timing?.startedAt ?? "") > at;

/** The version of an agent's program in its newest session since. */
function latestProgram(name: string, trajectories: readonly Trajectory[], at: string): string | undefined {
  const since = trajectories.filter((one) => isLater(one, at) && sessionOf(one).format === name);
  const newest = since.reduce<Trajectory | undefined>(
    (best, one) => ((one.timing?.startedAt ?? "") > (best?.timing?.startedAt ?? "") ? one : best),
    undefined,
  );
  return newest === undefined ? undefined : sessionOf(newest).version;
}

/** Sessions that say which tools they had settle it sooner than those that merely do without. */
const LEAST_TELLING = 3;
const LEAST_SILENT = 20;

function isToolGone(tool: string, trajectories: readonly Trajectory[], at: string): boolean {
  const since = trajectories.filter((one) => isLater(one, at));
  if (since.some((one) => toolsOf(one).includes(tool))) return false;
  const telling = since.filter(({ tools }) => (tools ?? []).length > 0);
  if (telling.some(({ tools }) => JSON.stringify(tools).includes(JSON.stringify(tool)))) return false;
  return telling.length >= LEAST_TELLING || since.filter((one) => toolsOf(one).length > 0).length >= LEAST_SILENT;
}
