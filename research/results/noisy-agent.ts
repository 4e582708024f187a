/** The scripted noisy policy of the studies: it says what a demonstrator would do, or with some chance something else. */
import { createRng, type Task, type Agent } from "limbeck";
import type { Demonstrator, Seen } from "limbeck/env";
import { expert } from "../../packages/worlds/src/household/demonstrators.ts";
import { createScriptedPolicy, plainDialect } from "limbeck/policy";
import type { ScriptedReply } from "../../packages/policy/src/policy/tabular/scripted-policy.ts";
import { createTokenAgent } from "limbeck/search";
import type { Prompter } from "../../packages/core/src/walk/mind/prompter.ts";

/** Characters that no observation holds: they part a message into goal, observation and commands. */
const [MESSAGE, COMMANDS, BETWEEN, REPLY] = ["\u0001", "\u0002", "\u0003", "\u0004"] as const;

export interface NoisyOptions {
  /** Chance of a slip at every step, as in `withNoise`. */
  readonly noise: number;
  /** Default: household's expert. */
  readonly demonstrator?: Demonstrator;
  /** What a slip may be. Default: any command that is accepted. */
  readonly slips?: (task: Task, past: readonly Seen[]) => readonly string[];
  /** Most tokens of an answer. Default: 80. */
  readonly answerTokens?: number;
  readonly version?: number;
}

/** Tokens are bytes, so that a command of 16 characters is 17 tokens; all probabilities are known. */
export function createNoisyAgent(options: NoisyOptions): Agent {
  const { noise, demonstrator = expert, slips = accepted, answerTokens = 80, version = 0 } = options;
  const policy = createScriptedPolicy({
    name: `${demonstrator.id} with noise ${noise}`,
    version,
    script: ({ text }) => {
      const { task, past, begun } = readConversation(text);
      const demonstration = demonstrator.start(task, createRng(0));
      let meant = "look";
      for (const seen of past) meant = demonstration.next(seen);
      return restOf(begun, mixture(meant, [...new Set(slips(task, past))], noise));
    },
  });
  return createTokenAgent({
    policy,
    dialect: plainDialect(policy.tokenizer),
    answerTokens,
    prompting: (task) => prompter(task.goal),
  });
}

function accepted(_task: Task, past: readonly Seen[]): readonly string[] {
  return past.at(-1)?.admissible ?? [];
}

/** With chance `noise` one of the slips, each equally likely; what was meant otherwise. */
function mixture(meant: string, commands: readonly string[], noise: number): ScriptedReply[] {
  const all = new Set([meant, ...commands]);
  const each = commands.length === 0 ? 0 : noise / commands.length;
  return [...all].map((text) => ({
    text,
    probability: (text === meant ? 1 - (commands.length === 0 ? 0 : noise) : 0) + (commands.includes(text) ? each : 0),
  }));
}

/** How a reply that was begun may go on: what agrees with its beginning, in the same proportions. */
function restOf(begun: string, replies: readonly ScriptedReply[]): ScriptedReply[] {
  const fitting = replies.filter(({ text }) => text.startsWith(begun));
  const total = fitting.reduce((sum, { probability }) => sum + probability, 0);
  return fitting.map(({ text, probability }) => ({ text: text.slice(begun.length), probability: probability / total }));
}

/** The goal at first; then what is seen and what is accepted. */
function prompter(goal: string): Prompter {
  const make = (opened: boolean): Prompter => ({
    show: ({ observation, admissible }) => {
      const commands = (admissible() ?? []).join(BETWEEN);
      const message = `${MESSAGE}${observation}${COMMANDS}${commands}${REPLY}`;
      const text = opened ? message : `${goal}${message}`;
      return { message: { kind: opened ? "append" : "fresh", text, base: text }, next: make(true) };
    },
    hear: (answer) => ({ decision: { action: answer.trim(), readable: answer.trim() !== "" }, next: make(true) }),
  });
  return make(false);
}

interface Conversation {
  readonly task: Task;
  readonly past: Seen[];
  /** What was said of the present reply already. */
  readonly begun: string;
}

function readConversation(text: string): Conversation {
  const [goal = "", ...messages] = text.split(MESSAGE);
  let action: string | undefined;
  let begun = "";
  const past = messages.map((message) => {
    const [observation = "", rest = ""] = message.split(COMMANDS);
    const [commands = "", reply = ""] = rest.split(REPLY);
    const seen = { observation, action, admissible: commands === "" ? undefined : commands.split(BETWEEN) };
    action = reply.trim();
    begun = reply;
    return seen;
  });
  return { task: { id: "", env: "household", seed: 0, goal, split: "" }, past, begun };
}
