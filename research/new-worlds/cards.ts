/**
 * Cards: three of eight cards lie face down, and their numbers are asked for. A round turns one, two or all three of them;
 * the answer is another round. One who looks at each alone needs four rounds, one who looks at all at once two.
 */
import { createRng, scored, type Env, type Episode, type Task, defineWorld } from "limbeck";
import { episodeOf, unknownSplit, type Demonstrator } from "limbeck/env";

const NAMES = ["A", "B", "C", "D", "E", "F", "G", "H"];
const ASKED = 3;
const MOST = 6;
const SPLITS: Readonly<Record<string, number>> = { train: 0, valid: 1_000_000, test: 2_000_000 };
const SIZE = 10_000;

interface Deal {
  readonly names: readonly string[];
  readonly numbers: Readonly<Record<string, number>>;
}

function dealOf(seed: number): Deal {
  const rng = createRng(seed);
  const left = [...NAMES];
  const names = Array.from({ length: ASKED }, () => left.splice(rng.int(left.length), 1)[0] as string);
  return { names, numbers: Object.fromEntries(NAMES.map((name) => [name, rng.int(10)])) };
}

const env: Env = {
  id: "cards",
  summary: "Look cards up, one or several in a round, and say their numbers.",
  maxSteps: MOST,
  splits: Object.fromEntries(Object.keys(SPLITS).map((name) => [name, SIZE])),
  tasks: (split, { offset = 0, count = SIZE } = {}) => {
    const first = SPLITS[split];
    if (first === undefined) throw unknownSplit("cards", split, Object.keys(SPLITS));
    return Array.from({ length: Math.max(0, Math.min(count, SIZE - offset)) }, (_, at) => {
      const seed = first + offset + at;
      const goal = `What is on ${dealOf(seed).names.join(" ")}?`;
      return { id: `cards/${split}/${offset + at}`, env: "cards", seed, goal, split };
    });
  },
  open: (task) => Promise.resolve(open(task)),
};

interface State {
  readonly said: string;
  /** Rounds so far, refused ones too. */
  readonly round: number;
  readonly right: boolean | null;
}

function open(task: Task): Episode {
  const { names, numbers } = dealOf(task.seed ?? 0);
  const answer = names.map((name) => numbers[name]).join(" ");
  return episodeOf<State>(
    task,
    { said: task.goal, round: 0, right: null },
    {
      observation: ({ said }) => said,
      stateKey: ({ said }) => said,
      ending: ({ right, round }) => (right !== null ? "terminated" : round >= MOST ? "truncated" : undefined),
      reward: ({ right }) => scored(right === true ? 1 : 0),
      success: ({ right, round }) => right ?? (round >= MOST ? false : null),
      step: (state, action) => {
        const [verb, ...said] = action.trim().split(/\s+/);
        const round = state.round + 1;
        if (verb === "say" && said.length > 0) {
          const right = said.join(" ") === answer;
          return {
            state: { said: right ? "Right." : "Wrong.", round, right },
            valid: true,
            reward: scored(right ? 1 : 0),
          };
        }
        const looks =
          verb === "look" && said.length >= 1 && said.length <= ASKED && said.every((name) => NAMES.includes(name));
        if (!looks) return { state: { ...state, round }, valid: false, reward: scored(0) };
        const seen = `${said.map((name) => `${name} ${numbers[name]}`).join(", ")}.`;
        return { state: { said: seen, round, right: null }, valid: true, reward: scored(0) };
      },
    },
  );
}

/** Looks at so many cards in a round, drawn for each task. */
function looker(id: string, summary: string, widths: readonly number[]): Demonstrator {
  return {
    id,
    summary,
    start: (task, rng) => {
      const { names, numbers } = dealOf(task.seed ?? 0);
      const width = widths[rng.int(widths.length)] as number;
      let at = 0;
      return {
        next: () => {
          if (at >= names.length) return `say ${names.map((name) => numbers[name]).join(" ")}`;
          const action = `look ${names.slice(at, at + width).join(" ")}`;
          at += width;
          return action;
        },
      };
    },
  };
}

export default defineWorld({
  id: "cards",
  info: { title: "Cards", meaning: "Look cards up, one or several in a round, and say their numbers." },
  options: {},
  create: () => env,
  demonstrators: {
    expert: looker("expert", "Looks at all cards at once.", [ASKED]),
    // Both ways are shown, so that there is something to prefer.
    "one by one": looker(
      "one by one",
      "Looks at one card at a time in every second task, at two or three in the others.",
      [1, 1, 2, 3],
    ),
  },
});
