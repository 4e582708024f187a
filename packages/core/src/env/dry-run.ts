/**
 * A dry run of somebody's world before anything is trained in it: what its rewards are, whether its lists of actions hold, whether it
 * answers and ends. Nothing is asked of it that a training would not ask, so a world that cannot fork is tried as any other.
 */
import { errorData } from "limbeck-base/base/errors";
import { mean } from "limbeck-base/base/statistics/summary";
import { createRng } from "limbeck-base/base/rng";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Env, Episode, OpenOptions } from "./env.ts";
import { advice, type Demonstrator, type Seen } from "./expert.ts";
import { randomChoice } from "./random-choice.ts";

export interface DryRunOptions {
  readonly env: Env;
  readonly tasks: readonly Task[];
  /** The first of its scripted agents plays too. Default: none. */
  readonly demonstrators?: Readonly<Record<string, Demonstrator>> | undefined;
  /** Given one after the other, the last again and again. Default: none. */
  readonly answers?: readonly string[];
  /** Milliseconds that one answer of the world may take. */
  readonly limitMs: number;
  /** Most steps of an episode. Default: those of the world, at most 200. */
  readonly maxSteps?: number;
}

/** A fault is a reason not to train here; a note is worth knowing. */
export interface DryFinding {
  readonly about: "rewards" | "masks" | "hangs";
  readonly fault: boolean;
  readonly message: string;
}

export interface DryPlayer {
  readonly player: string;
  readonly episodes: number;
  /** Episodes that the world calls a success; null where it never says. */
  readonly solved: number | null;
  /** Of episodes with a reward; null where none has one. */
  readonly least: number | null;
  readonly most: number | null;
  readonly steps: number;
  readonly refused: number;
}

export interface DryRun {
  readonly players: readonly DryPlayer[];
  readonly findings: readonly DryFinding[];
  /** Moments, those with a list of actions, and the shortest and longest list. */
  readonly moments: number;
  readonly listed: number;
  readonly shortest: number | null;
  readonly longest: number | null;
  readonly slowestMs: number;
}

const MOST_STEPS = 200;
const MOST_FINDINGS = 20;
/** Nothing that a world should know. */
const NONSENSE = "xyzzy frobnicate 17";

interface Played {
  readonly player: string;
  readonly reward: number | undefined;
  readonly success: boolean | null;
  readonly steps: number;
  readonly refused: number;
}

interface Notebook {
  readonly options: DryRunOptions;
  /** By their text. */
  readonly findings: Map<string, DryFinding>;
  readonly lists: number[];
  moments: number;
  slowestMs: number;
}

class Hang extends Error {}

/**
 * Plays the tasks with the world's first demonstrator, with listed actions by lot, with given answers and with nonsense.
 *
 * @example
 * import type { Task } from "limbeck";
 *
 * const env = await openEnv("countdown");
 * const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
 * const { players, findings } = await dryRun({ env, tasks, limitMs: 1_000 });
 * console.log(players[0]?.player, findings.filter(({ fault }) => fault).length); // nonsense 0
 */
export async function dryRun(options: DryRunOptions): Promise<DryRun> {
  const book: Notebook = { options, findings: new Map(), lists: [], moments: 0, slowestMs: 0 };
  const all: Played[] = [];
  try {
    for (const player of playersOf(options)) {
      for (const task of options.tasks) {
        const played = await playOnce(book, player, task);
        if (played !== undefined) all.push(played);
      }
    }
  } catch (error) {
    // A world that hangs may hold everything after it; nothing more is asked of it.
    if (!(error instanceof Hang)) throw error;
    find(book, "hangs", error.message);
  }
  judgeRewards(book, all);
  const { findings, lists, moments, slowestMs } = book;
  return {
    players: [...new Set(all.map(({ player }) => player))].map((player) => summed(player, all)),
    findings: [...findings.values()],
    moments,
    listed: lists.length,
    shortest: lists.length === 0 ? null : Math.min(...lists),
    longest: lists.length === 0 ? null : Math.max(...lists),
    slowestMs,
  };
}

function playersOf({ demonstrators = {}, answers = [] }: DryRunOptions): readonly Demonstrator[] {
  const [first] = Object.values(demonstrators);
  const reciting = (id: string, texts: readonly string[]): Demonstrator => {
    let at = 0;
    const next = (): string => texts[Math.min(at++, texts.length - 1)] ?? NONSENSE;
    return { id, summary: "", start: () => ((at = 0), { next }) };
  };
  return [
    ...(first === undefined ? [] : [first]),
    ...(answers.length === 0 ? [] : [reciting("answers", answers)]),
    randomChoice,
    reciting("nonsense", [NONSENSE]),
  ];
}

/** Undefined where the player has nothing to do here, or the world could not go on. */
async function playOnce(book: Notebook, player: Demonstrator, task: Task): Promise<Played | undefined> {
  const { env, maxSteps = Math.min(env.maxSteps, MOST_STEPS) } = book.options;
  const past: Seen[] = [];
  const where = (): string => `task ${task.id}, step ${past.length}`;
  let episode: Episode | undefined;
  let [sum, refused] = [0, 0];
  try {
    const opened = await inTime(book, (options) => env.open(task, options), `when task ${task.id} was opened`);
    episode = opened;
    let action: string | undefined;
    while (opened.ending === undefined && past.length < maxSteps) {
      if (player === randomChoice && opened.admissible() === undefined) return undefined;
      const admissible = listOf(book, opened, where());
      past.push({ action, observation: opened.observation, admissible });
      const next = (await advice(player, task, past, createRng(task.id))) ?? NONSENSE;
      const asked = `${cut(next)}, ${where()}`;
      const { reward, valid } = await inTime(book, (options) => opened.step(next, options), `to ${asked}`);
      sum += scoreValue(reward) ?? 0;
      if (!valid) refused += 1;
      if (!valid && admissible?.includes(next) === true) find(book, "masks", `A listed action is refused: ${asked}.`);
      action = next;
    }
    judgeEnd(book, opened, { sum, where: where(), cut: past.length < env.maxSteps });
    const { reward, success } = opened;
    return { player: player.id, reward: scoreValue(reward), success, steps: past.length, refused };
  } catch (error) {
    // What hangs may hang when it is closed, too.
    if (error instanceof Hang) {
      episode = undefined;
      throw error;
    }
    find(book, "hangs", `It broke off: ${errorData(error).message} (${where()})`);
    return undefined;
  } finally {
    await episode?.close();
  }
}

/** The world's answer, where it comes in time; a world that obeys its signal stops then. */
async function inTime<T>(book: Notebook, ask: (options: OpenOptions) => Promise<T>, when: string): Promise<T> {
  const { limitMs } = book.options;
  const begun = performance.now();
  const late = new AbortController();
  const hang = new Hang(`No answer within ${limitMs / 1_000} s ${when}; nothing after it was tried.`);
  const answer = ask({ signal: late.signal });
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, fail) => {
    timer = setTimeout(() => (fail(hang), late.abort(hang)), limitMs);
  });
  try {
    return await Promise.race([silence, answer]);
  } finally {
    clearTimeout(timer);
    book.slowestMs = Math.max(book.slowestMs, performance.now() - begun);
  }
}

/** What can be done here, by the world's own list. */
function listOf(book: Notebook, episode: Episode, where: string): readonly string[] | undefined {
  const list = episode.admissible();
  book.moments += 1;
  if (list === undefined) return undefined;
  book.lists.push(list.length);
  if (list.length === 0) find(book, "masks", `The list of actions is empty while the episode goes on, ${where}.`);
  const twice = list.find((action, at) => list.indexOf(action) !== at);
  if (twice !== undefined) find(book, "masks", `The list of actions names ${cut(twice)} twice, ${where}.`);
  return list;
}

interface Ended {
  readonly sum: number;
  readonly where: string;
  /** Cut short by the dry run itself. */
  readonly cut: boolean;
}

function judgeEnd(book: Notebook, { ending, reward, failure }: Episode, { sum, where, cut: isCut }: Ended): void {
  if (ending === undefined && !isCut) find(book, "hangs", `It goes on after its last step, ${where}.`);
  if (ending === "failed") find(book, "hangs", `The episode was lost: ${failure?.message ?? "it does not say why"} (${where})`); // prettier-ignore
  const total = scoreValue(reward);
  if (total === undefined) return;
  if (!Number.isFinite(total)) find(book, "rewards", `The reward is ${total}, ${where}.`);
  else if (Math.abs(total - sum) > 1e-6) find(book, "rewards", `The reward of the episode is ${total}, those of its steps add up to ${sum}, ${where}.`); // prettier-ignore
}

/** What all episodes together say of the rewards. */
function judgeRewards(book: Notebook, all: readonly Played[]): void {
  const rewards = all.flatMap(({ reward }) => reward ?? []);
  const [first] = rewards;
  if (first === undefined) return find(book, "rewards", "No episode has a reward.");
  const of = (wanted: boolean): number[] =>
    all.flatMap(({ success, reward }) => (success === wanted ? (reward ?? []) : []));
  const [won, lost] = [of(true), of(false)];
  if (won.length > 0 && lost.length > 0 && mean(won) <= mean(lost)) {
    find(book, "rewards", `Successes earn ${mean(won)} on average, and failures ${mean(lost)}.`);
  } else if (rewards.every((one) => one === first)) {
    const what = `All ${rewards.length} episodes earn ${first}, so nothing shows what a better one earns.`;
    note(book, "rewards", `${what} Try an answer that should earn more, or give it a demonstrator.`);
  }
  if (all.every(({ success }) => success === null)) {
    note(book, "rewards", "It never says whether an episode succeeded; the worlds python and openenv take successAt.");
  }
  if (book.lists.length === 0)
    note(book, "masks", "It lists no actions: they are free text, and none is drawn by lot.");
}

function summed(player: string, all: readonly Played[]): DryPlayer {
  const own = all.filter((one) => one.player === player);
  const rewards = own.flatMap(({ reward }) => reward ?? []);
  const said = own.filter(({ success }) => success !== null);
  return {
    player,
    episodes: own.length,
    solved: said.length === 0 ? null : said.filter(({ success }) => success).length,
    least: rewards.length === 0 ? null : Math.min(...rewards),
    most: rewards.length === 0 ? null : Math.max(...rewards),
    steps: own.reduce((sum, { steps }) => sum + steps, 0),
    refused: own.reduce((sum, { refused }) => sum + refused, 0),
  };
}

function find(book: Notebook, about: DryFinding["about"], message: string, fault = true): void {
  if (book.findings.size < MOST_FINDINGS) book.findings.set(message, { about, fault, message });
}

const note = (book: Notebook, about: DryFinding["about"], message: string): void => find(book, about, message, false);

const cut = (action: string): string => JSON.stringify(action.length <= 60 ? action : `${action.slice(0, 57)}…`);
