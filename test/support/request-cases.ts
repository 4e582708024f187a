/**
 * What is learnt from a file of coding requests, held against what a person expects. The sessions go the way of a user's:
 * imported, said to have succeeded or failed, and `limbeck skills extract` over all of them.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fillPlaces, fitShape } from "../../packages/core/src/skill/extract/goal-shapes.ts";
import { openLibrary } from "../../packages/core/src/skill/library/library.ts";
import type { LibrarySkill } from "../../packages/core/src/skill/library/library-skill.ts";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import { feedbackRewards } from "../../packages/store/src/store/formats/recorded-trajectory.ts";
import { limbeck } from "./fake-io.ts";
import { fill, renderSessions, toolNames, type Agent, type RequestCase, type Session } from "./request-sessions.ts";

export const CHECKS = ["kind", "slots", "clean", "steps", "counts", "cites"] as const;
type Check = (typeof CHECKS)[number];

/** Of one case: what is wrong with each check, undefined where it holds. */
export interface Compared {
  readonly case: RequestCase;
  readonly skill: LibrarySkill | undefined;
  readonly wrong: Readonly<Record<Check, string | undefined>>;
}

export type CaseFile = "open" | "sealed";

export async function readCases(file: CaseFile): Promise<RequestCase[]> {
  const text = await readFile(new URL(`../samples/requests/${file}.json`, import.meta.url), "utf8");
  return JSON.parse(text) as RequestCase[];
}

/** Everything of one file in one library, as one user would have it. */
export async function compareFile(file: CaseFile): Promise<Compared[]> {
  const cases = await readCases(file);
  const sessions = cases.flatMap(renderSessions);
  const home = await mkdtemp(join(tmpdir(), "limbeck-requests-"));
  try {
    const goals = await importAll(home, sessions);
    const skills = await learn(home);
    return cases.map((one) => compareCase(one, { sessions, goals, skills }));
  } finally {
    await rm(home, { recursive: true });
  }
}

/** Whether it agrees in kind and slots and holds nothing of a single session. */
export function agrees({ wrong }: Compared): boolean {
  return wrong.kind === undefined && wrong.slots === undefined && wrong.clean === undefined;
}

/** "open: 3 of 20 agree; kind 5, slots 4, …" */
export function totals(file: CaseFile, all: readonly Compared[]): string {
  const right = (check: Check): number => all.filter(({ wrong }) => wrong[check] === undefined).length;
  const each = CHECKS.map((check) => `${check} ${right(check)}`).join(", ");
  return `${file}: ${all.filter(agrees).length} of ${all.length} agree in kind and slots and are clean; right of ${all.length}: ${each}`;
}

const FROM: Readonly<Record<Agent, string>> = {
  "claude-code": ".claude/projects",
  codex: ".codex/sessions",
  opencode: "opencode",
};

/** The goals as they are stored, by session. */
async function importAll(home: string, sessions: readonly Session[]): Promise<Map<string, string>> {
  for (const { file, text } of sessions) {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await writeFile(join(home, file), text);
  }
  for (const [agent, folder] of Object.entries(FROM)) {
    await ran(home, ["import", join(home, folder), "--from", agent, "--run", agent, "--yes"]);
  }
  const store = openStore(join(home, "store"));
  try {
    for (const agent of Object.keys(FROM)) {
      const run = await store.openRun(agent);
      for (const { id, succeeded } of sessions.filter((session) => session.agent === agent)) {
        for (const reward of feedbackRewards({ success: succeeded })) await run.addReward(id, reward);
      }
      await run.close();
    }
    const goals = new Map<string, string>();
    for await (const { id, task } of store.trajectories()) goals.set(id, task.goal);
    if (goals.size !== sessions.length) throw new Error(`${goals.size} of ${sessions.length} sessions were stored.`);
    return goals;
  } finally {
    await store.close();
  }
}

async function learn(home: string): Promise<LibrarySkill[]> {
  await ran(home, ["skills", "extract", "--library", join(home, "skills"), "--by", "ann"]);
  const library = openLibrary(join(home, "skills"));
  const { skills } = await library.list();
  return await Promise.all(skills.map(({ name }) => library.read(name)));
}

async function ran(home: string, words: readonly string[]): Promise<void> {
  const { code, err } = await limbeck([...words, "--json"], {
    cwd: home,
    env: { HOME: home, LIMBECK_STORE: join(home, "store") },
  });
  if (code !== 0) throw new Error(`limbeck ${words.join(" ")} ended with ${code}: ${err}`);
}

interface Learnt {
  readonly sessions: readonly Session[];
  readonly goals: ReadonlyMap<string, string>;
  readonly skills: readonly LibrarySkill[];
}

function compareCase(one: RequestCase, { sessions, goals, skills }: Learnt): Compared {
  const { expect } = one;
  const own = sessions.filter((session) => session.case === one.id);
  const skill = skillOf(one, own, skills);
  if (skill === undefined) {
    const none = "no skill";
    return {
      case: one,
      skill,
      wrong: { kind: none, slots: none, clean: none, steps: none, counts: none, cites: none },
    };
  }
  const kind = skill.when.goals[0] ?? "";
  const { successes, failures } = skill.support;
  const cited = [...new Set(skill.evidence.map(({ trajectory }) => trajectory))];
  const allowed = new Set(expect.cites.map((at) => own[at]?.id));
  const others = cited.filter((id) => !allowed.has(id));
  const counted = `${successes} and ${failures}`;
  return {
    case: one,
    skill,
    wrong: {
      kind: wrongKind(one, skill, own, goals),
      slots: wrongSlots(one, kind, own, goals),
      clean: wrongWords(one, skill, own),
      steps: wrongSteps(one, skill.text),
      counts: counted === `${expect.succeeded} and ${expect.failed}` ? undefined : counted,
      cites: cited.length > 0 && others.length === 0 ? undefined : `cites ${others.length} of ${cited.length} wrongly`,
    },
  };
}

/** The one of the right kind with the right steps, else of the right kind, else the one that rests most on its sessions. */
function skillOf(one: RequestCase, own: readonly Session[], skills: readonly LibrarySkill[]): LibrarySkill | undefined {
  const ids = new Set(own.map(({ id }) => id));
  const of = skills.filter(({ level }) => level === "task");
  const right = of.filter(({ when }) => when.goals.some((goal) => plainKind(goal) === plainKind(one.expect.kind)));
  const citing = ({ evidence }: LibrarySkill): number =>
    evidence.filter(({ trajectory }) => ids.has(trajectory)).length;
  const most = of.filter((skill) => citing(skill) > 0).sort((first, second) => citing(second) - citing(first));
  return right.find(({ text }) => wrongSteps(one, text) === undefined) ?? right[0] ?? most[0];
}

/** A place with the marks that stand about it: quotes, backticks, "#", "--", "/", "()". Places joined by a mark are one. */
const CHUNK = /[`'"‘’“”„«»「」#@(/-]*\{\d+\}(?:[:/.@#-]\{\d+\})*[`'"‘’“”«»「」()]*/g;
const MARKS = /^[`'"‘’“”„«»「」#@()/\s-]+|[`'"‘’“”„«»「」()\s]+$/g;

/** Case, spaces, the last mark and the marks about places do not matter; places are numbered as they come. */
function plainKind(kind: string): string {
  const met: string[] = [];
  return kind
    .replaceAll(CHUNK, (chunk) => {
      const places = (chunk.match(/\{\d+\}/g) ?? []).join("");
      if (!met.includes(places)) met.push(places);
      return `{${met.indexOf(places) + 1}}`;
    })
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[\s.!?。！？]+$/u, "");
}

function wrongKind(
  { expect }: RequestCase,
  { when }: LibrarySkill,
  own: readonly Session[],
  goals: ReadonlyMap<string, string>,
): string | undefined {
  const [kind = "", ...more] = when.goals;
  if (more.length > 0) return `${when.goals.length} kinds: ${when.goals.join(" | ")}`;
  if (plainKind(kind) !== plainKind(expect.kind)) return `kind ${JSON.stringify(kind)}`;
  const ids = new Set(own.map(({ id }) => id));
  const wrong = [...goals].filter(([id, goal]) => (fitShape(kind, goal) !== undefined) !== ids.has(id));
  if (wrong.length > 0) return `it fits, or does not fit: ${wrong[0]?.[1] ?? ""}`;
  const typed = (expect.fits ?? []).find((goal) => fitShape(kind, goal) === undefined);
  return typed === undefined ? undefined : `it does not fit: ${typed}`;
}

function wrongSlots(
  { expect }: RequestCase,
  kind: string,
  own: readonly Session[],
  goals: ReadonlyMap<string, string>,
): string | undefined {
  for (const [at, { id }] of own.entries()) {
    const goal = goals.get(id) ?? "";
    const values = fitShape(kind, goal);
    if (values === undefined) return `no values of: ${goal}`;
    const chunks = (kind.match(CHUNK) ?? []).map((chunk) => fillPlaces(chunk, values).replaceAll(MARKS, ""));
    const found = [...new Set(chunks)].map((value) => (/^\[redacted .+\]$/.test(value) ? "[redacted]" : value));
    const wanted = [...new Set(expect.slots[at] ?? [])].map((value) => value.replaceAll(MARKS, ""));
    if (JSON.stringify(found) !== JSON.stringify(wanted)) return `${JSON.stringify(found)} of: ${goal}`;
  }
  return undefined;
}

/** What stands in name, kind, description or text and belongs to one session. */
function wrongWords(one: RequestCase, skill: LibrarySkill, own: readonly Session[]): string | undefined {
  const texts = [skill.name.replaceAll("-", " "), skill.description, skill.text, ...skill.when.goals];
  const said = texts.join("\n").toLowerCase();
  const mark = /\[redacted[^\]]*\]?/.exec(said)?.[0] ?? /\bredacted\b/.exec(said)?.[0];
  if (mark !== undefined) return mark;
  const owned = own.flatMap((session) => session.own).find((text) => said.includes(text.toLowerCase()));
  if (owned !== undefined) return owned;
  const known = wordsOf(`${one.says} ${one.expect.steps.join(" ")}`);
  const values = one.sessions.map(([, ...given]) => given);
  const whole = values
    .flat()
    .find((value) => value.length > 3 && !known.has(value.toLowerCase()) && holds(said, value));
  if (whole !== undefined) return whole;
  const each = values.map((given) => wordsOf(given.join(" ")));
  const words = wordsOf(said);
  return [...new Set(each.flatMap((set) => [...set]))].find(
    (word) => word.length > 3 && words.has(word) && !known.has(word) && !each.every((set) => set.has(word)),
  );
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []);
}

function holds(said: string, value: string): boolean {
  const at = said.indexOf(value.toLowerCase());
  const around = `${said[at - 1] ?? " "}${said[at + value.length] ?? " "}`;
  return at !== -1 && !/[\p{L}\p{N}]/u.test(around);
}

/** Each tool in its turn, and what its arguments hold before the next tool is named. */
function wrongSteps({ agent, expect }: RequestCase, text: string): string | undefined {
  const tool = new RegExp(`(?<![\\w./-])(?:${toolNames(agent).join("|")})(?![\\w./-])`, "g");
  const named = [...text.matchAll(tool)];
  const said = named.map(({ 0: name, index }, at) => ({
    name,
    rest: text.slice(index + name.length, named[at + 1]?.index ?? text.length),
  }));
  let from = 0;
  for (const step of expect.steps) {
    const [name, ...tokens] = step.split(" ");
    const at = said.findIndex((one, index) => index >= from && one.name === name && inOrder(one.rest, tokens));
    if (at === -1) return `no step ${JSON.stringify(step)} in: ${text}`;
    from = at + 1;
  }
  return undefined;
}

function inOrder(text: string, tokens: readonly string[]): boolean {
  let from = 0;
  for (const token of tokens) {
    const at = text.indexOf(token, from);
    if (at === -1) return false;
    from = at + token.length;
  }
  return true;
}

/** The wording of a session, as its user typed it. */
export function goalsOf({ says, sessions }: RequestCase): string[] {
  return sessions.map(([, ...values]) => fill(says, values));
}
