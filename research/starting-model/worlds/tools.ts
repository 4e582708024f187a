/** Tools: who knows follows the policy; a novice declines, takes another order or method, or says that it is done. */
import { DEMONSTRATORS } from "../../../packages/worlds/src/tools/expert.ts";
import { guess, type Moment, type StartingWorld } from "./starting-world.ts";

const OPTIONS = { opening: "dialogue" } as const;
const TASKS = 1_000;

/** Chances that are tuned so that about three unadvised conversations in ten end as they should. */
const CHANCES = {
  asksFirst: 0.7,
  changesRightly: 0.15,
  declines: 0.35,
  looksUp: 0.85,
  answersRightly: 0.25,
  talks: 0.95,
};

const DONE = "It is done. Is there anything else I can help with?";
const CANNOT = "I am sorry, I cannot do that; the policy of the shop does not allow it.";

export const tools: StartingWorld = {
  name: "tools",
  options: OPTIONS,
  chances: CHANCES,
  // Tasks far from those that a training begins with; the shops of `valid` and `test` are others anyway.
  place: (shard) => ({ options: OPTIONS, offset: 1_000_000 + shard * TASKS, count: TASKS }),
  shards: 20,
  updates: 2_400,
  lessonsPerTask: 2,
  mostTokens: 1_900,
  answerTokens: 96,
  freeText: true,
  start: (task, rng) => {
    const expert = DEMONSTRATORS.expert.start(task, rng);
    const others = [DEMONSTRATORS.hasty, DEMONSTRATORS.careless].map((one) => one.start(task, rng));
    let read = "";
    return {
      see: (seen) => {
        read += ` ${seen.observation}`;
        const best = expert.next(seen);
        return judge(
          best,
          others.map((other) => other.next(seen)),
          read,
        );
      },
    };
  },
  essential,
  otherWords: (command) => {
    if (!command.startsWith("{")) return [`say: ${command}`, `tell the customer: ${command}`, `reply with: ${command}`];
    const { name, arguments: given } = JSON.parse(command) as { name: string; arguments: Record<string, unknown> };
    const list = Object.entries(given).map(([key, value]) => `${key} ${String(value)}`);
    return [
      `call ${name} with ${list.join(", ")}`,
      `${name}: ${list.join("; ")}`,
      `use the tool ${name} (${list.join(" / ")})`,
    ];
  },
};

/** Who the customer is, and asking for what is missing, belongs to every conversation. */
function essential(actions: readonly string[]): readonly string[] {
  const kept = actions.filter(
    (action) => !/^(Welcome\.|For that I need|It is done\.|.*"name":"(find|get)_user)/.test(action),
  );
  return kept.length === 0 ? actions : kept;
}

function judge(best: string, others: readonly string[], read: string): Moment {
  const mistakes = [...twisted(best, read), ...others];
  if (best.startsWith("{")) {
    const changes = /^\{"name":"(cancel|modify|return|exchange|transfer)_/.test(best);
    return changes ? tempted(best, CHANCES.changesRightly, mistakes) : guess(best, CHANCES.looksUp, mistakes);
  }
  if (best === CANNOT) return guess(best, CHANCES.declines, others);
  if (best.includes("Do you confirm?")) return tempted(best, CHANCES.asksFirst, others);
  return guess(best, /\d/.test(best) ? CHANCES.answersRightly : CHANCES.talks, mistakes);
}

/** Where something is to be changed a novice may also decline, or say that it is done; the customer believes that. */
function tempted(best: string, chance: number, others: readonly string[]): Moment {
  const { ways } = guess(best, chance, others);
  const scale = ways.length === 1 ? chance : (1 + chance) / 2;
  const wrong = (1 - chance) / 2 + (ways.length === 1 ? (1 - chance) / 2 : 0);
  return {
    best,
    ways: [
      ...ways.map(({ command, weight }) => ({
        command,
        weight: command === best ? chance : (weight * (scale - chance)) / (1 - chance),
      })),
      { command: DONE, weight: wrong * 0.8 },
      { command: CANNOT, weight: best === CANNOT ? 0 : wrong * 0.2 },
    ],
  };
}

/** What a name in a command may be mistaken for: others of the same kind that were read before. */
const KINDS = [/#W\d{7}/g, /(?:credit_card|gift_card|paypal)_\d+/g, /\b1\d{9}\b/g, /\d+\.\d\d\b/g, /TR\d{6}/g] as const;
const REASONS = ["no longer needed", "ordered by mistake"] as const;

function twisted(command: string, read: string): string[] {
  const reasons = REASONS.filter((reason) => command.includes(`"${reason}"`)).map((reason) =>
    command.replace(reason, REASONS[1 - REASONS.indexOf(reason)] ?? reason),
  );
  const names = KINDS.flatMap((kind) => {
    const [first] = command.match(kind) ?? [];
    if (first === undefined) return [];
    const others = new Set(read.match(kind) ?? []);
    return [...others].slice(0, 6).map((other) => command.replace(first, other));
  });
  return [...reasons, ...names].filter((other) => other !== command);
}
