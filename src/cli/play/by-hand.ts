/** Playing by hand: the observation, numbered actions, and a question, until the episode or the player ends it. */
import type { Demonstrator } from "../../env/index.ts";
import { scoreValue } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { cleanLine, cleanLines } from "../look/clean-text.ts";
import { wrap } from "../look/text-width.ts";
import { plural } from "../look/units.ts";
import type { Searcher } from "./searcher.ts";
import type { PlaySession } from "./session.ts";

/** Longer lists are cut; "list" shows all of it. */
const SHOWN_ACTIONS = 30;

const WORDS =
  "a number or any text acts; undo takes a step back; hint asks the expert; list shows every action; quit ends";

/** Whom the player may ask. */
export interface Advisers {
  readonly demonstrator: Demonstrator | undefined;
  readonly searcher: Searcher | undefined;
}

export async function playByHand(
  invocation: Invocation,
  session: PlaySession,
  { demonstrator, searcher }: Advisers,
): Promise<void> {
  const { io, style } = invocation;
  const words = searcher === undefined ? WORDS : `${WORDS}; search proposes an action, yes does it`;
  for (const line of wrap(words, io.terminal.columns)) invocation.print(style.dim(line));
  show(invocation, session);
  let proposed: string | undefined;
  for (;;) {
    const answer = await io.ask(session.episode.ending === undefined ? "> " : "(undo or quit) > ");
    if (answer === undefined) return;
    const text = answer.trim();
    if (text === "quit" || text === "exit") return;
    if (text === "") continue;
    if (text === "undo") {
      if (await session.undo()) show(invocation, session);
      else invocation.print("Nothing to take back.");
    } else if (text === "list") actions(invocation, session, Number.POSITIVE_INFINITY);
    else if (session.episode.ending !== undefined) invocation.print("The episode has ended.");
    else if (text === "hint") invocation.print(await hintText(session, demonstrator));
    else if (text === "search" && searcher !== undefined) {
      const { action, words: said } = await searcher.propose(session.actions);
      proposed = action;
      invocation.print(said);
      continue;
    } else await act(invocation, session, text === "yes" ? (proposed ?? text) : text);
    // What was proposed for another moment is worth nothing here.
    proposed = undefined;
  }
}

export async function hintText(session: PlaySession, demonstrator: Demonstrator | undefined): Promise<string> {
  if (demonstrator === undefined) return "This world has no expert.";
  const id = cleanLine(demonstrator.id);
  try {
    return `The ${id} would: ${cleanLine((await session.hint(demonstrator)) ?? "nothing")}`;
  } catch (error) {
    // A game in words it never learnt must not end the player's own game.
    return `The ${id} has no advice: ${cleanLine(error instanceof Error ? error.message : String(error))}`;
  }
}

async function act(invocation: Invocation, session: PlaySession, text: string): Promise<void> {
  const numbered = /^\d+$/.test(text) ? session.episode.admissible()?.[Number(text) - 1] : undefined;
  const action = numbered ?? text;
  if (numbered !== undefined) invocation.print(invocation.style.cyan(`> ${cleanLine(action)}`));
  const result = await session.act(action);
  if (!result.valid) invocation.print(invocation.style.dim("(not possible here)"));
  const reward = scoreValue(result.reward);
  if (reward !== 0) invocation.print(invocation.style.yellow(`reward ${reward ?? "unknown"}`));
  show(invocation, session);
}

function show(invocation: Invocation, session: PlaySession): void {
  const { episode } = session;
  const { style } = invocation;
  invocation.print();
  const { columns } = invocation.io.terminal;
  for (const line of cleanLines(episode.observation)) for (const part of wrap(line, columns)) invocation.print(part);
  if (episode.ending === undefined) return actions(invocation, session, SHOWN_ACTIONS);
  const verdict =
    episode.success === true ? style.green("success") : episode.success === false ? "no success" : "no verdict";
  invocation.print();
  invocation.print(`${style.bold(`Ended (${episode.ending}) after ${plural(session.steps, "step")}:`)} ${verdict}`);
  if (episode.failure !== undefined) invocation.print(style.red(cleanLine(episode.failure.message)));
}

function actions(invocation: Invocation, session: PlaySession, most: number): void {
  const list = session.episode.admissible();
  const { style } = invocation;
  invocation.print();
  if (list === undefined) return invocation.print(style.dim("Actions are free text here."));
  for (const [index, action] of list.slice(0, most).entries()) {
    invocation.print(`${style.dim(String(index + 1).padStart(3))} ${cleanLine(action)}`);
  }
  if (list.length > most) invocation.print(style.dim(`    and ${list.length - most} more: list`));
}
