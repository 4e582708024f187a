/** The contract of a walk: one agent in one episode, step by step. It is what strategies are made of. */
import type {
  Ending,
  JsonObject,
  Parent,
  Score,
  Step,
  Task,
  Trajectory,
  TrajectoryJson,
} from "../../trajectory/index.ts";
import type { Answer, BranchPoint } from "../mind/agent.ts";
import type { Purse } from "../purse.ts";
import type { Judgement } from "../judge.ts";

export interface WalkStart {
  /** Trajectories of one group are compared with each other. Default: the task's own. */
  readonly group?: string;
  /** Text for the first decision only. */
  readonly guidance?: string;
  /** Keeps a copy of the world before every step, so that `branchAt` need not replay it. */
  readonly bookmarks?: boolean;
  /** Kept with the trajectory. */
  readonly info?: JsonObject;
  /** It stops before an action that no later one takes back (`Episode.irreversible`). Default: no. */
  readonly safe?: boolean;
  /**
   * The agent's rough copy walks it (`Agent.rough`), with the random numbers that the agent itself has under this label. Such a walk explores:
   * it is to be left by `suspend`, which stores nothing. Default: no.
   */
  readonly rough?: boolean;
}

export interface ForkStart {
  readonly info?: JsonObject;
  /** As above. Default: as the walk it leaves. */
  readonly safe?: boolean;
}

/**
 * Whatever fails on the way (the policy, the world, a time limit) ends the walk as "failed" or "truncated"; the methods
 * do not reject for it. They reject with "cancelled" when the rollout was cancelled, and for misuse.
 */
export interface Walk {
  /** The id of its trajectory: the group, then the labels that led here. */
  readonly id: string;
  readonly task: Task;
  readonly group: string;
  readonly parent: Parent | undefined;
  /** What it spends from. `each` and `together` set it. */
  purse: Purse;
  /** What its next answers are drawn at; whoever leaves it begins with the same. Undefined: the agent's own temperature. */
  temperature: number | undefined;
  /** Its own steps, and all steps of the episode from the root. */
  readonly steps: readonly Step[];
  readonly episode: readonly Step[];
  /** Index of the next step. */
  readonly depth: number;
  readonly observation: string;
  readonly stateKey: string;
  /** Set once it is over. */
  readonly ending: Ending | undefined;
  /** As the world says, and once it is over as the judge says. */
  readonly reward: Score;
  readonly success: boolean | null;
  readonly judgement: Judgement | undefined;
  /** Why it was stopped, when neither the world nor a failure ended it. */
  readonly stopped: string | undefined;
  admissible(): readonly string[] | undefined;
  /** Tokens of the answer in hand so far; 0 between steps. */
  readonly said: number;
  /** The whole context of the policy, exact; empty for agents without tokens. */
  context(): Int32Array;
  /** Own tokens and log-probabilities of a step's answer; undefined for agents without tokens. */
  answer(step: number): Answer | undefined;

  /** Says up to so many more tokens of the next answer; true when the answer is complete. The world is not stepped. */
  speak(maxTokens: number): Promise<boolean>;
  /** Completes the answer and carries it out. Undefined when the walk is over, or is now over without a further step. */
  step(): Promise<Step | undefined>;
  /** Carries out an action that the policy did not choose; `source` says who did. */
  impose(action: string, source: string): Promise<Step | undefined>;
  /** Steps until it is over, or until the condition holds after a step. */
  advance(until?: (walk: Walk) => boolean): Promise<void>;
  /**
   * An independent walk from here on, also in the middle of an answer. Undefined when the purse cannot pay it or the walk
   * is over. A world that cannot be copied is opened anew and its past replayed, which costs environment steps; one that
   * says it must not be ("cannot-fork") ends the rollout with that error.
   */
  fork(label: string | number, start?: ForkStart): Promise<Walk | undefined>;
  /** The same from an earlier point of its own steps, also once it is over. Without bookmarks the world is replayed. */
  branchAt(point: BranchPoint, label: string | number, start?: ForkStart): Promise<Walk | undefined>;
  /** Ends it as truncated. Its reward is unscored unless `scored`, then it is what the world says so far. */
  stop(why: string, options?: { readonly scored?: boolean }): Promise<void>;
  /**
   * Ends it without storing it; `Scope.resume` goes on from what it returns. One that is over is kept back as it is:
   * `Scope.adopt` stores it in a later rollout. Only for walks without parent.
   */
  suspend(): Promise<Suspended>;
  /** Adds facts to what is kept with the trajectory. */
  note(info: JsonObject): void;
  /** As it will be stored. */
  trajectory(): Trajectory;
}

/** An unfinished episode as plain data: it can be kept in a file and resumed later, by another policy version. */
export interface Suspended {
  /** In the JSON form of the schema. */
  readonly trajectory: TrajectoryJson;
  readonly label: string;
  /** It was over: there is nothing to go on with. */
  readonly over: boolean;
}
