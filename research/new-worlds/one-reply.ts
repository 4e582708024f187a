/** Episodes that are one question and one reply: it is judged and all is over, also where nobody could read it. */
import { scored, type Episode, type Task } from "limbeck";
import { episodeOf } from "limbeck/env";

/** What came of a reply. */
export interface Judged {
  /** Undefined where it could not be read. */
  readonly right: boolean | undefined;
  /** What the world says to it, where it could be read. */
  readonly said: string;
  readonly parts: Readonly<Record<string, number>>;
}

interface State {
  readonly said: string;
  readonly right: boolean | null;
  /** It has replied, though nobody could read it. */
  readonly isSpent: boolean;
}

export function openOneReply(task: Task, judge: (reply: string) => Judged): Episode {
  const start: State = { said: task.goal, right: null, isSpent: false };
  return episodeOf<State>(task, start, {
    observation: ({ said }) => said,
    stateKey: ({ said }) => said,
    ending: ({ right, isSpent }) => (right !== null ? "terminated" : isSpent ? "truncated" : undefined),
    reward: ({ right }) => scored(right === true ? 1 : 0),
    success: ({ right, isSpent }) => (isSpent ? right === true : null),
    step: (state, action) => {
      const { right, said, parts } = judge(action);
      const after = right === undefined ? {} : { said, right };
      return {
        state: { ...state, ...after, isSpent: true },
        valid: right !== undefined,
        reward: scored(right === true ? 1 : 0),
        info: { parts },
      };
    },
  });
}
