/**
 * The episode form in which OPID trains and tests on ALFWorld, as one preset: 10 for a win, 30 steps, 5 turns of
 * history, 0.1 off for a malformed response, and the rule by which a response becomes a command.
 */

export interface Projection {
  /** What is sent to the world. */
  readonly action: string;
  /** Whether the response had the form asked for. Being in the admissible list is not part of it. */
  readonly valid: boolean;
}

/** What is sent when the tags are missing: the end of the response. */
const TAIL_LENGTH = 30;
/** The block of unified ideographs; one in the response makes it invalid. */
const IDEOGRAPH = /[\u4e00-\u9fff]/;

/**
 * The text between the first `<action>` and the first `</action>`, in lower case. Without both, the last 30 characters
 * are sent and the response is invalid, as it is without `<think>` and `</think>` or with an ideograph.
 *
 * @example
 * console.log(projectAction("<think>It is dark.</think><action>Go to desk 1</action>")); // { action: "go to desk 1", valid: true }
 */
export function projectAction(response: string): Projection {
  const text = response.toLowerCase();
  const start = text.indexOf("<action>");
  const end = text.indexOf("</action>");
  if (start === -1 || end === -1) return { action: text.slice(-TAIL_LENGTH), valid: false };
  const action = text.slice(start + "<action>".length, end).trim();
  const thought = text.includes("<think>") && text.includes("</think>");
  return { action, valid: thought && !IDEOGRAPH.test(response) };
}

/** `invalidActionPenalty` is for responses that `parseAction` calls invalid; commands without effect cost nothing. */
export const opid = {
  maxSteps: 30,
  winReward: 10,
  hiddenCommands: ["help"],
  historyTurns: 5,
  invalidActionPenalty: 0.1,
  parseAction: projectAction,
} as const;
