/** Earlier tries of a game, from which advice is written: what worked, what failed, and why. */
import type { Rng, Env, Task } from "limbeck";
import { startNovice, type Blunder } from "./novice.ts";

export interface Try {
  readonly actions: readonly string[];
  /** What followed each action. */
  readonly replies: readonly string[];
  readonly success: boolean;
  readonly blunders: readonly Blunder[];
}

/** Lets a novice play the game to its end. One that knows the errand succeeds, with detours in its search. */
export async function tryGame(env: Env, task: Task, rng: Rng, knows: boolean): Promise<Try> {
  const episode = await env.open(task);
  const novice = startNovice(episode.observation, rng, { knows });
  const actions: string[] = [];
  const replies: string[] = [];
  while (episode.ending === undefined) {
    const { observation } = episode;
    const action = novice.next({ action: actions.at(-1), observation, admissible: episode.admissible() });
    actions.push(action);
    replies.push((await episode.step(action)).observation);
  }
  return { actions, replies, success: episode.success === true, blunders: novice.blunders };
}

/** The actions without detours: of walks and doors only those right before something was done there. */
export function withoutDetours(actions: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let way: string[] = [];
  for (const action of actions) {
    if (action.startsWith("go to ")) way = [action];
    else if (action.startsWith("open ")) way.push(action);
    else if (/^(take|move|clean|heat|cool|use) /.test(action)) {
      kept.push(...way, action);
      way = [];
    }
  }
  return kept;
}

/** What a failed try has to tell: refused, useless, repeated and circling commands, and the wrong turn. */
export interface Failure {
  readonly refused: readonly string[];
  readonly useless: readonly string[];
  readonly leadsBack: readonly string[];
  readonly repeated: readonly string[];
  readonly tried: readonly string[];
  readonly instead?: { readonly did: string; readonly sibling: string };
}

export function lessonsOfFailure(failed: Try): Failure {
  const refused: string[] = [];
  const useless: string[] = [];
  const leadsBack: string[] = [];
  const seen = new Map<string, number>();
  failed.actions.forEach((action, at) => {
    const times = (seen.get(action) ?? 0) + 1;
    seen.set(action, times);
    if (failed.replies[at]?.startsWith("Nothing happens")) refused.push(action);
    else if (/^(look|inventory|help|examine .+)$/.test(action)) useless.push(action);
    else if (action.startsWith("go to ") && times > 1) leadsBack.push(action);
  });
  const repeated = [...seen].filter(([, times]) => times > 2).map(([action]) => action);
  const known = new Set([...refused, ...useless, ...leadsBack, ...repeated]);
  const tried = [...seen.keys()].filter((action) => !known.has(action));
  const blunder = failed.blunders.find(({ did }) => failed.actions.includes(did));
  return {
    refused: [...new Set(refused)],
    useless: [...new Set(useless)],
    leadsBack: [...new Set(leadsBack)],
    repeated,
    tried,
    ...(blunder === undefined ? {} : { instead: { did: blunder.did, sibling: blunder.better } }),
  };
}
