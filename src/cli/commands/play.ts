/** `limbeck play`: step through an environment, by hand or from a file of commands. */
import { resolve } from "node:path";
import { EngineError } from "../../base/index.ts";
import type { Env, World, WorldOptions } from "../../env/index.ts";
import type { Task } from "../../trajectory/index.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine, cleanLines } from "../look/clean-text.ts";
import { usageError } from "../parse.ts";
import { plural } from "../look/units.ts";
import { playByHand } from "../play/by-hand.ts";
import { speechOptions } from "../rollout/agent-options.ts";
import { searchNames, searchOptions } from "../search/search-options.ts";
import { startSession, stepData, type Session } from "../play/session.ts";
import { chosenWorld, givenOptions, readCommands, wholeNumber, worldOption } from "../play/world-options.ts";

export const play: Command = {
  group: "start",
  summary: "Step through an environment, by hand or from a file",
  usage:
    "--env ID [--game FILE | --root DIR] [--split NAME] [--task N] [--commands FILE] [--search METHOD --policy NAME]",
  description:
    "By hand, a number or any text acts, undo takes a step back, hint asks the world's expert and quit ends. With --commands, or without a terminal, the commands come from a file or from standard input, one a line, until they or the episode end.",
  options: {
    ...worldOption,
    game: { type: "string", value: "FILE", summary: "One game file (alfworld)" },
    root: { type: "string", value: "DIR", summary: "A folder of games (alfworld)" },
    split: { type: "string", value: "NAME", summary: "Split to take the task from; the first unless told" },
    task: { type: "string", value: "N", summary: "Which task of the split, from 0; 0 unless told" },
    commands: { type: "string", value: "FILE", summary: "Commands to carry out; - reads standard input" },
    search: {
      type: "string",
      value: "METHOD",
      summary: "By hand: the word search lets this search of --policy propose an action; you decide",
      choices: searchNames,
    },
    policy: { type: "string", value: "NAME|DIR", summary: "With --search: a model folder, bundled, chat, or a script" },
    ...searchOptions,
    ...speechOptions,
  },
  examples: [
    "limbeck play --env household",
    "limbeck play --env alfworld --game game.tw-pddl --commands walkthrough.txt --json",
    "limbeck play --env countdown --split valid --task 3",
    "limbeck play --env household --set dial=tiny --search mcts --policy bundled --search-budget modelCalls=200",
  ],
  jsonFields: {
    step: "0 for the opening, then counted up",
    action: "what was done; null for the opening",
    observation: "what is seen now",
    admissible: "every action that is accepted now; null where actions are free text",
    reward: "reward of this step; null when it is not known",
    done: "whether the episode has ended",
    ending: "terminated, truncated or failed; null while it goes on",
    success: "true or false; null when the world gave no verdict",
    valid: "whether the action was possible",
  },
  run: async (invocation) => {
    const { io } = invocation;
    const { id, world } = await chosenWorld(invocation, "play");
    const env = await world.create(worldOptions(invocation));
    const task = await chosenTask(invocation, env);
    const file = invocation.text("commands") ?? (invocation.json || !io.terminal.in ? "-" : undefined);
    const commands = file === undefined ? undefined : await readCommands(invocation, file);
    const asked = invocation.text("search");
    if (asked !== undefined && commands !== undefined) {
      throw usageError("--search proposes to a player: play by hand, on a terminal; limbeck search plays by itself.");
    }
    // The engine is loaded when it is used.
    const searcher =
      asked === undefined
        ? undefined
        : await (await import("../play/searcher.ts")).openSearcher(invocation, { env, task, world, id });
    const session = await startSession(env, task, io.signal);
    try {
      if (commands !== undefined) await playCommands(invocation, session, commands);
      else await playByHand(invocation, session, { demonstrator: expertOf(world), searcher });
    } finally {
      await session.close();
      await searcher?.close();
    }
    return EXIT.done;
  },
};

/** --game and --root are paths of the command line, so relative to where it was typed. */
function worldOptions(invocation: Invocation): WorldOptions {
  const paths = ["game", "root"].flatMap((name) => {
    const path = invocation.text(name);
    return path === undefined ? [] : [[name, resolve(invocation.io.cwd, path)] as const];
  });
  return { ...givenOptions(invocation), ...Object.fromEntries(paths) };
}

async function chosenTask(invocation: Invocation, env: Env): Promise<Task> {
  const split = invocation.text("split") ?? Object.keys(env.splits)[0] ?? "";
  const offset = wholeNumber(invocation, "task", 0);
  for await (const task of env.tasks(split, { offset, count: 1 })) return task;
  throw new EngineError(
    "usage",
    `Split "${split}" of ${env.id} has ${env.splits[split] ?? 0} tasks; --task ${offset} is none.`,
  );
}

function expertOf({ demonstrators = {} }: World) {
  return demonstrators["expert"] ?? Object.values(demonstrators)[0];
}

async function playCommands(invocation: Invocation, session: Session, commands: readonly string[]): Promise<void> {
  const { style } = invocation;
  if (invocation.json) invocation.printJson(stepData(session, null, undefined));
  for (const line of cleanLines(session.episode.observation)) invocation.print(line);
  let done = 0;
  for (const command of commands) {
    if (session.episode.ending !== undefined) break;
    const result = await session.act(command);
    done += 1;
    if (invocation.json) invocation.printJson(stepData(session, command, result));
    invocation.print();
    invocation.print(style.cyan(`> ${cleanLine(command)}`));
    for (const line of cleanLines(session.episode.observation)) invocation.print(line);
  }
  const { ending, success } = session.episode;
  const verdict = success === true ? ", success" : success === false ? ", no success" : "";
  invocation.print();
  invocation.print(
    style.bold(`${plural(done, "step")}, ${ending === undefined ? "not ended" : `ended (${ending})${verdict}`}`),
  );
  const left = commands.length - done;
  if (left > 0) invocation.note(`${plural(left, "command")} left over after the end.`);
}
