/**
 * One question, as Search-R1 and OPID ask it: a few turns, each a search or the answer; the only reward is at the end.
 *
 * The reward is 1 for an answer that matches a gold answer after normalisation, else 0. Turns that run out without an
 * answer truncate the episode with reward 0. A retriever that fails ends it as "failed", without any score.
 */
import { createHash } from "node:crypto";
import { errorData, isAbort, throwIfAborted, type PlainError } from "limbeck-base/base/errors";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Episode, OpenOptions } from "limbeck-core/env/env";
import { episodeOf, openState, PLAIN_RULES, type PlainState } from "limbeck-core/env/episode-of";
import { matchesAnswer } from "./normalise.ts";
import type { Passage, Retriever } from "./retriever.ts";

/** What all episodes of one environment share. */
export interface EpisodeRules {
  readonly retriever: Retriever;
  readonly maxTurns: number;
  readonly topk: number;
  readonly maxQueryCharacters: number;
  /** What becomes of a reply that holds a block but is not well formed: refused, or carried out all the same. */
  readonly malformed: "refuse" | "act";
}

interface State extends PlainState {
  readonly turns: number;
  /** Ids of the passages shown so far, in order of first appearance. */
  readonly seen: readonly string[];
}

export function openEpisode(rules: EpisodeRules, task: Task, answers: readonly string[], opening: string): Episode {
  const start: State = { ...openState(opening), turns: 0, seen: [] };
  return episodeOf<State>(task, start, {
    ...PLAIN_RULES,
    stateKey,
    step: async (before, action, options) => {
      const advance = await advanced(rules, answers, before, action, options);
      // No turn but the last is rewarded, so the sum so far is also what this step gave.
      return { ...advance, reward: advance.state.reward };
    },
  });
}

interface Advance {
  readonly state: State;
  readonly valid: boolean;
  readonly info?: JsonObject;
}

async function advanced(
  rules: EpisodeRules,
  answers: readonly string[],
  before: State,
  action: string,
  options: OpenOptions,
): Promise<Advance> {
  const { block, fault } = readReply(action);
  const state = { ...before, turns: before.turns + 1 };
  const refusal = refuse(rules, block, fault);
  if (refusal !== undefined || block === undefined) {
    const observation = `That was not understood: ${refusal}. ${FORMS}`;
    return { state: endOfTurn(rules, { ...state, observation }), valid: false, info: { fault: refusal ?? "" } };
  }
  const valid = fault === undefined;
  if (block.kind === "answer") {
    const right = matchesAnswer(block.text, answers);
    const verdict = { reward: scored(right ? 1 : 0), success: right, observation: "The answer was given." };
    return { state: { ...state, ...verdict, ending: "terminated" }, valid, info: { answer: block.text } };
  }
  // The result of a search on the last turn could not be used: as in the reference, it is not even run.
  if (state.turns >= rules.maxTurns) return { state: endOfTurn(rules, state), valid, info: { query: block.text } };
  try {
    const passages =
      block.text === "" ? [] : (await rules.retriever.retrieve(block.text, rules.topk, options)).slice(0, rules.topk);
    const seen = [...new Set([...state.seen, ...passages.map((passage) => passage.id)])];
    const info = { query: block.text, passages: passages.map((passage) => passage.id) };
    return { state: { ...state, seen, observation: information(passages) }, valid, info };
  } catch (error) {
    throwIfAborted(options.signal);
    if (isAbort(error)) throw error;
    return { state: lost(before, errorData(error)), valid, info: { query: block.text } };
  }
}

/** The two forms a turn may take, for openings and refusals. */
export const FORMS = "Reply with <search>words to look for</search> or with <answer>the answer</answer>.";

type Block = { readonly kind: BlockKind; readonly text: string } | undefined;

function refuse(rules: EpisodeRules, block: Block, fault: string | undefined): string | undefined {
  if (block === undefined || (fault !== undefined && rules.malformed === "refuse")) return fault;
  const { kind, text } = block;
  if (kind === "answer" || text.length <= rules.maxQueryCharacters) return undefined;
  return `the query has ${text.length} characters and at most ${rules.maxQueryCharacters} are searched for`;
}

function endOfTurn(rules: EpisodeRules, state: State): State {
  if (state.turns < rules.maxTurns) return state;
  const observation = `No answer was given within ${rules.maxTurns} turns.`;
  return { ...state, ending: "truncated", success: false, observation };
}

function lost(state: State, failure: PlainError): State {
  return { ...state, ending: "failed", reward: unscored(failure.message), success: null, failure };
}

/**
 * The passages as the agent reads them: a JSON object with one field of "Doc n:" lines, inside information tags.
 * Everything beyond ASCII is escaped, as Python's JSON writer does, so no control character gets through; a passage
 * that holds the closing tag cannot end the block early.
 */
export function information(passages: readonly Passage[]): string {
  const lines = passages.map(({ contents }, index) => `Doc ${index + 1}: ${contents.trim()}\n`).join("");
  const json = JSON.stringify(lines === "" ? "No search results found." : lines)
    .replace(/[\u007f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replace(/<(?=\/information)/gi, "\\u003c");
  return `<information>{"result": ${json}}</information>`;
}

/**
 * What the agent has read is its state: the set of passages shown, whatever words found them and in whatever order.
 * Turns that brought nothing new therefore stay in the same group.
 */
function stateKey({ seen, ending }: State): string {
  const suffix = ending === undefined ? "" : `:${ending}`;
  if (seen.length === 0) return `question${suffix}`;
  const digest = createHash("sha256").update(JSON.stringify([...seen].sort()));
  return `read:${digest.digest("hex").slice(0, 16)}${suffix}`;
}

/**
 * What a reply asks for: one search block or one answer block.
 *
 * Everything after the first closing tag is cut; the block is what stands between the first opening tag of that kind
 * and there. A reply is well formed when it holds a block, not both kinds of opening tag, and none twice. Those are
 * counted in the whole reply, the cut part included. Tags are read in any case.
 */
type BlockKind = "search" | "answer";

interface Reply {
  /** What was asked for, blanks trimmed; undefined when no complete block was found. */
  readonly block: { readonly kind: BlockKind; readonly text: string } | undefined;
  /** Why it is not well formed; undefined when it is. */
  readonly fault: string | undefined;
}

export function readReply(text: string): Reply {
  const openings = [...text.matchAll(/<(search|answer)>/gi)];
  const close = /<\/(search|answer)>/i.exec(text);
  const kind = close?.[1]?.toLowerCase() as BlockKind | undefined;
  const open = openings.find((tag) => tag[1]?.toLowerCase() === kind);
  const start = open === undefined ? 0 : open.index + open[0].length;
  const found = close !== null && kind !== undefined && open !== undefined && start <= close.index;
  const block = found ? { kind, text: text.slice(start, close.index).trim() } : undefined;
  const searches = openings.filter((tag) => tag[1]?.toLowerCase() === "search").length;
  return { block, fault: faultOf(block !== undefined, searches, openings.length - searches) };
}

function faultOf(hasBlock: boolean, searches: number, answers: number): string | undefined {
  if (!hasBlock) return "no complete <search> or <answer> block was found";
  if (searches > 0 && answers > 0) return "both a search and an answer were given";
  if (searches > 1) return "more than one <search> block was given";
  return answers > 1 ? "more than one <answer> block was given" : undefined;
}
