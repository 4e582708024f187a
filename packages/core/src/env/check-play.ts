/**
 * How a check plays: a script of whole numbers becomes actions. Somebody who knows the world goes first and is cut off at a
 * place that the script chooses; then come listed actions, the demonstrator's next one, and nonsense.
 */
import { createRng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Env, Episode } from "./env.ts";
import { advice, hint, type Demonstrator, type Seen } from "./expert.ts";

export interface EnvCheckOptions {
  readonly env: Env;
  /** Tasks to try. Default: the first two of every split. */
  readonly tasks?: readonly Task[];
  /** Actions the world must refuse wherever they come. The default is nonsense that no world should accept. */
  readonly invalidActions?: readonly string[];
  /**
   * Default: "nothing": a refused action leaves state, list and success as they were. "turn": it uses up a turn, as
   * in worlds where every reply counts; then only `valid: false` is asked for.
   */
  readonly invalidChanges?: "nothing" | "turn";
  /** The reward of a refused action. Default: 0. */
  readonly invalidReward?: number;
  /** Who can play here. They are played, cut off at random places. Default: those of the environment. */
  readonly demonstrators?: Readonly<Record<string, Demonstrator>> | undefined;
  /** Actions worth trying where the world lists none (`admissible` is undefined). Default: what demonstrators did. */
  readonly candidates?: (episode: Episode) => readonly string[];
  /** Random action sequences per check. Default: 25. */
  readonly runs?: number;
  /** Length of a random action sequence. Default: 15. */
  readonly maxActions?: number;
  /** Seed of the random sequences, so that a failure repeats. */
  readonly seed?: number;
}

/** What a watcher of one moment of an episode can tell. */
export interface Snapshot {
  readonly observation: string;
  readonly stateKey: string;
  readonly admissible: readonly string[] | undefined;
  readonly reward: Episode["reward"];
  readonly ending: Episode["ending"];
  readonly success: Episode["success"];
}

export const NONSENSE: readonly string[] = [
  "",
  "xyzzy frobnicate 17",
  "\u0000\u001b[2J\u0007",
  "执行 不存在 的 动作",
  "__proto__",
];

/** Texts that break careless parsers: very long, control characters, other scripts, lone surrogates, markup. */
export const HOSTILE_ACTIONS: readonly string[] = [
  ...NONSENSE,
  "a".repeat(100_000),
  "<action>".repeat(12_500),
  "(".repeat(100_000),
  "[".repeat(50_000) + "]".repeat(50_000),
  "\n\r\t\u2028\u2029\uFEFF",
  "\u202Eمرحبا\u202C 🙂🙂",
  "\uD800 lone",
  "constructor",
  '{"name": "toString", "arguments": {"__proto__": 1}}',
];

/** An episode as a demonstrator played it. */
interface Demonstrated {
  readonly demonstrator: Demonstrator;
  readonly actions: readonly string[];
  readonly past: readonly Seen[];
  readonly success: boolean | null;
}

const known = new WeakMap<EnvCheckOptions, Map<string, Promise<readonly Demonstrated[]>>>();

/** What each demonstrator does in this task; played once for all checks. */
export async function demonstratedIn(options: EnvCheckOptions, task: Task): Promise<readonly Demonstrated[]> {
  const tasks = known.get(options) ?? new Map<string, Promise<readonly Demonstrated[]>>();
  known.set(options, tasks);
  const played = tasks.get(task.id) ?? playAll(options, task);
  tasks.set(task.id, played);
  return await played;
}

async function playAll(options: EnvCheckOptions, task: Task): Promise<readonly Demonstrated[]> {
  const found: Demonstrated[] = [];
  for (const demonstrator of demonstratorsOf(options)) found.push(await demonstrated(options, task, demonstrator));
  return found;
}

export function demonstratorsOf({ env, demonstrators }: EnvCheckOptions): readonly Demonstrator[] {
  return Object.values(demonstrators ?? env.demonstrators ?? {});
}

async function demonstrated(options: EnvCheckOptions, task: Task, demonstrator: Demonstrator): Promise<Demonstrated> {
  const episode = await options.env.open(task);
  const past: Seen[] = [];
  const actions: string[] = [];
  let action: string | undefined;
  while (episode.ending === undefined && actions.length < Math.min(options.env.maxSteps, 1_000)) {
    past.push({ action, observation: episode.observation, admissible: episode.admissible() });
    action = await nextOf(options, task, demonstrator, past);
    if (action === undefined) break;
    actions.push(action);
    await episode.step(action);
  }
  const { success } = episode;
  await episode.close();
  return { demonstrator, actions, past, success };
}

/** Its word after a past; a demonstrator that throws, or says something else than a text, is named. */
export async function nextOf(
  options: EnvCheckOptions,
  task: Task,
  demonstrator: Demonstrator,
  past: readonly Seen[],
): Promise<string | undefined> {
  const rng = createRng(`check ${task.seed} ${demonstrator.id}`);
  const before = past.flatMap(({ action }) => action ?? []);
  let said: unknown;
  try {
    said = await (demonstrator.advise === undefined ? hint : advice)(demonstrator, task, past, rng);
  } catch (error) {
    fail(options, task, before, `The demonstrator "${demonstrator.id}" threw: ${String(error)}.`);
  }
  if (typeof said === "string" || (said === undefined && demonstrator.advise !== undefined)) return said;
  return fail(options, task, before, `The demonstrator "${demonstrator.id}" gave ${String(said)}, not a text.`);
}

/** Plays a script hand by hand. */
export interface Hand {
  /** Actions to take before the script's own numbers count. */
  readonly before: readonly string[];
  /** The numbers that are left. */
  readonly choices: readonly number[];
  action(episode: Episode, choice: number): string;
}

/** The first number of a script says whose play comes first and where it is cut off; without a demonstrator it is a choice as any other. */
export async function handOf(options: EnvCheckOptions, task: Task, script: readonly number[]): Promise<Hand> {
  const played = (await demonstratedIn(options, task)).filter(({ actions }) => actions.length > 0);
  const [first] = script;
  const seen = [...new Set(played.flatMap(({ actions }) => actions))];
  const path = first === undefined ? undefined : played[first % played.length]?.actions;
  let at = path === undefined || first === undefined ? 0 : Math.floor(first / played.length) % (path.length + 1);
  return {
    before: path?.slice(0, at) ?? [],
    choices: path === undefined ? script : script.slice(1),
    action: (episode, choice) => {
      const next = path?.[at];
      const goesOn = next !== undefined && choice % 5 !== 0 && Math.floor(choice / 5) % 3 === 0;
      if (!goesOn) return drawnAction(episode, choice, options, seen);
      at += 1;
      return next;
    },
  };
}

/** One in five is nonsense, the rest are listed ones, or what demonstrators did where nothing is listed. */
function drawnAction(episode: Episode, choice: number, options: EnvCheckOptions, seen: readonly string[]): string {
  const open = episode.admissible() ?? options.candidates?.(episode) ?? seen;
  const list = choice % 5 === 0 || open.length === 0 ? (options.invalidActions ?? NONSENSE) : open;
  return list[Math.floor(choice / 5) % list.length] ?? "";
}

export async function play(
  options: EnvCheckOptions,
  episode: Episode,
  hand: Hand,
  close = true,
): Promise<{ readonly trace: Snapshot[]; readonly actions: string[] }> {
  const trace = [snapshot(episode)];
  const actions: string[] = [];
  for (const next of [...hand.before, ...hand.choices]) {
    if (episode.ending !== undefined) break;
    actions.push(await advance(episode, typeof next === "string" ? next : hand.action(episode, next), trace));
  }
  if (close) await episode.close();
  return { trace, actions };
}

export async function advance(episode: Episode, action: string, trace: Snapshot[]): Promise<string> {
  await episode.step(action);
  trace.push(snapshot(episode));
  return action;
}

export function snapshot(episode: Episode): Snapshot {
  const { observation, stateKey, reward, ending, success } = episode;
  return { observation, stateKey, admissible: episode.admissible()?.slice(), reward, ending, success };
}

// The error for a broken promise of an environment: what differed, in which task, after which actions.

interface Subject {
  readonly env: Env;
}

export function expectSame(
  subject: Subject,
  task: Task,
  actions: readonly string[],
  what: string,
  got: unknown,
  wanted: unknown,
): void {
  const [left, right] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (left === right) return;
  let at = 0;
  while (left[at] === right[at]) at += 1;
  const near = (text: string): string => text.slice(Math.max(0, at - 60), at + 120);
  fail(subject, task, actions, `${what} differs: got …${near(left)}…, expected …${near(right)}….`);
}

export function fail(subject: Subject, task: Task, actions: readonly string[], what: string): never {
  const path = actions.length === 0 ? "" : ` After: ${actions.map(showAction).join(", ")}.`;
  throw new EngineError("env-contract", `${label(subject, task)} breaks the contract. ${what}${path}`, {
    details: { env: subject.env.id, task: task.id, actions },
  });
}

export function label(subject: Subject, task: Task): string {
  return `Environment "${subject.env.id}", task "${task.id}",`;
}

/** Short, and with control characters made visible. */
export function showAction(action: string): string {
  const text = JSON.stringify(action);
  return text.length <= 60 ? text : `${text.slice(0, 57)}…" (${action.length} characters)`;
}
