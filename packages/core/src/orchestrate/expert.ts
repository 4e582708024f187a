/**
 * The contract of an expert: a model that an orchestrating policy can ask. An expert is a model with a skill, frozen, at a price.
 * It keeps nothing between two questions: everything it may know is in the question, so that episodes can be forked.
 */
import type { Rng } from "limbeck-base/base/rng";
import { type Demonstrator, type Seen, advice } from "../env/expert.ts";
import type { Message, Task } from "limbeck-base/trajectory/trajectory";
import type { TextPolicy } from "limbeck-policy/policy/text-policy";

export interface Question {
  readonly task: Task;
  /** What the orchestrator wants to know; the goal of the task where it did not say. */
  readonly query: string;
  /** The moments of the world so far, the present one last. */
  readonly past: readonly Seen[];
  /** For experts that guess. */
  readonly rng: Rng;
  readonly signal?: AbortSignal | undefined;
}

export interface Advice {
  /** What the orchestrator reads. */
  readonly text: string;
  /** The action it would take now; undefined where it would take none. */
  readonly action?: string;
}

export interface Expert {
  /** How it is called: a letter, then letters, digits and single hyphens or spaces. Unique in its registry. */
  readonly name: string;
  /** Which model with which skill. */
  readonly model: string;
  readonly skill: string;
  /** One line of the prompt; an orchestrator knows nothing else of an expert that it was not trained with. */
  readonly description: string;
  /** What one call costs, in units of the caller's own choice. */
  readonly price: number;
  advise(question: Question): Promise<Advice>;
}

// A scripted agent of a world as an expert: good where its skill is asked for, and elsewhere whatever it falls back on.

export interface DemonstratorExpertOptions extends Pick<Expert, "name" | "skill" | "description" | "price"> {
  readonly demonstrator: Demonstrator;
  /** Which tasks it knows how to do. Default: all. */
  readonly knows?: (task: Task) => boolean;
  /** Who acts in its place on the others. Default: it then says nothing. */
  readonly otherwise?: Demonstrator;
  /** Chance, at every question, that it does what it falls back on all the same. Default: 0. */
  readonly slips?: number;
}

/**
 * A demonstrator as an expert with a name and a price.
 *
 * @example
 * import { getWorld } from "limbeck/env";
 *
 * const env = await openEnv("countdown");
 * const { demonstrators = {} } = await getWorld("countdown");
 * const { expert: demonstrator } = demonstrators;
 * if (demonstrator !== undefined) {
 *   const expert = createDemonstratorExpert({ demonstrator, name: "Sage", skill: "sums", description: "Knows sums.", price: 1 });
 *   for await (const task of env.tasks("train", { count: 1 })) {
 *     const { observation } = await env.open(task);
 *     const past = [{ observation, admissible: undefined, action: undefined }];
 *     console.log((await expert.advise({ task, query: task.goal, past, rng: createRng(1) })).action?.includes("<answer>")); // true
 *   }
 * }
 */
export function createDemonstratorExpert(options: DemonstratorExpertOptions): Expert {
  const { demonstrator, knows = () => true, otherwise, slips = 0, name, skill, description, price } = options;
  return {
    name,
    model: demonstrator.id,
    skill,
    description,
    price,
    advise: async ({ task, past, rng }) => {
      const able = knows(task) && rng.split("slip").float() >= slips;
      const acting = able ? demonstrator : otherwise;
      // The last moment's own draws: an expert that guesses must not guess the same at every step.
      const action = acting === undefined ? undefined : await advice(acting, task, past, rng.split("guess"));
      return action === undefined ? { text: "I do not know." } : { text: action, action };
    },
  };
}

// A chat model with a skill in its prompt as an expert. Its reply is data: it is shown, or tried as an action, never obeyed.

export interface TextExpertOptions extends Pick<Expert, "name" | "skill" | "description" | "price"> {
  readonly policy: TextPolicy;
  /** Most tokens of a reply. Default: 256. */
  readonly answerTokens?: number;
  readonly temperature?: number;
}

/** Turns of the past that it is shown: what it is asked for is the next action, not the history. */
const TURNS = 8;

/**
 * A chat model as an expert with a name and a price.
 *
 * @example
 * import { createChatPolicy, openChatModel } from "limbeck/policy";
 *
 * const content = [{ type: "text", text: "The cup may be there.\nAction: go to shelf 1" }];
 * const doGenerate = () => Promise.resolve({ content, finishReason: "stop", usage: {} });
 * const policy = createChatPolicy(openChatModel({ specificationVersion: "v2", provider: "own", modelId: "seeker", doGenerate }));
 * const expert = createTextExpert({ policy, name: "Seeker", skill: "You find things.", description: "Finds things.", price: 1 });
 * const task = { id: "1", env: "household", seed: 1, goal: "find a cup", split: "train" };
 * const advice = await expert.advise({ task, query: "Where is the cup?", past: [], rng: createRng(1) });
 * console.log(advice.action); // go to shelf 1
 */
export function createTextExpert(options: TextExpertOptions): Expert {
  const { policy, name, skill, description, price, answerTokens = 256, temperature } = options;
  return {
    name,
    model: policy.ref.name,
    skill,
    description,
    price,
    advise: async (question) => {
      const conversation = policy.open({ seed: `${question.task.id} ${question.past.length} ${name}` });
      try {
        conversation.extend(messagesFor(skill, question));
        const { text } = await conversation.sample({
          maxTokens: answerTokens,
          ...(temperature === undefined ? {} : { temperature }),
          ...(question.signal === undefined ? {} : { signal: question.signal }),
        });
        const said = text.trim();
        return said === "" ? { text: "I do not know." } : { text: said, action: lastLine(said) };
      } finally {
        conversation.close();
      }
    },
  };
}

function messagesFor(skill: string, { task, query, past }: Question): Message[] {
  const shown = past.slice(-TURNS).map(({ action, observation }) => {
    const did = action === undefined ? "" : `Action: ${action}\n`;
    return `${did}Observation: ${observation}`;
  });
  const admissible = past.at(-1)?.admissible;
  const listed = admissible === undefined ? "" : `\n\nAccepted actions:\n${admissible.join("\n")}`;
  const content = `Goal: ${task.goal}\n\n${shown.join("\n\n")}${listed}\n\nQuestion: ${query}\nSay in a few words why, then the next action on a line of its own, last.`;
  return [{ role: "system", content: skill }, { role: "user", content }]; // prettier-ignore
}

function lastLine(text: string): string {
  return (text.split("\n").at(-1) ?? "").replace(/^(?:Next )?Action:\s*/i, "").trim();
}
