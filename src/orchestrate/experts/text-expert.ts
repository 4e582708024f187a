/** A chat model with a skill in its prompt as an expert. Its reply is data: it is shown, or tried as an action, never obeyed. */
import type { TextPolicy } from "../../policy/index.ts";
import type { Message } from "../../trajectory/index.ts";
import type { Expert, Question } from "../expert.ts";

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
 * import { createChatPolicy, openChatModel } from "limbeck/policy/chat";
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
