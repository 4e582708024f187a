/**
 * Alfworld: interprets text games written as planning rules plus a text grammar, the official ALFWorld files above all.
 *
 * ## The game file
 *
 * JSON with `pddl_domain`, `pddl_problem`, `grammar`, and optionally `solvable` and `walkthrough`. The files are the
 * only source of possible actions and observations; nothing about fridges is known here.
 *
 * `pddl_domain`: `(define (domain …) (:types …) (:constants …) (:predicates …) (:functions …) (:action …) …)`; all is
 * read in lower case, `;` starts a comment. Conditions: `and`, `or`, `not`, `exists`, `=`, predicates, `()`; `not`
 * stands before anything but `exists`. Effects: `and`, `not`, `when`, `forall` around `when`, predicates; `increase` is
 * read over. Constants in the rules must be among `:objects` or `:constants`. Anything else is an error that names it.
 *
 * `pddl_problem`: `(define (problem …) (:domain …) (:objects …) (:init …) (:goal …))`, the goal a condition as above.
 *
 * `grammar`: `grammar :: """{ "rule": [{ "condition": "…", "rhs": "…" }, …] }""";` and, for every action of the domain,
 * `action Name { template :: "command"; feedback :: "reply"; }`, which may hold a `grammar` of its own. Templates and
 * queries are described in template.ts. Rules with a fixed meaning: `intro` is the opening text, `task` the task
 * sentence ("Your task is to: …"), `list_empty`, `list_separator`, `list_last_separator` join lists. Variables of a
 * command and a reply are the action's parameters, without the question mark, in lower case.
 *
 * Things about which nothing is true at the start do not exist. Names: see entities.ts (`apple_bar_3` reads "apple 1"
 * when it is the last apple in the order of ids). A game is won when the goal holds after a command.
 *
 * ## From code
 *
 *   const game = createGameReader().read(parseGameFile(text));  // or parseGame(file)
 *   const state = openGame(game);                               // state.opening(), .commands(), .act(), .fork(), .won
 *   const episode = openGameEpisode(task, game, { maxSteps: 30, winReward: 10, hiddenCommands: [] });
 */
import { option } from "limbeck-base/base/option";
import { defineWorld, nonNull } from "limbeck-core/env/world";
import { createAlfworld } from "./alfworld.ts";

export const alfworld = defineWorld({
  id: "alfworld",
  info: { title: "ALFWorld", meaning: "The ALFWorld household text games, played from their official files." },
  options: {
    root: option.text(null, "folder of games: <split>/<family>-…/<trial>/game.tw-pddl"),
    game: option.text(null, "or one game file"),
    games: option.list(null, { kind: "text" }, "or several"),
    preset: option.choice(
      "alfworld",
      ["alfworld", "opid"],
      "alfworld (50 steps) or opid (30 steps, no help in the list)",
    ),
    maxSteps: option.limit(null, "steps after which an episode is cut; none: the preset's", { least: 1, whole: true }),
    winReward: option.limit(null, "reward of the step that wins; none: 10"),
    hiddenCommands: option.list(null, { kind: "text" }, "commands left out of the list; none: the preset's"),
  },
  create: async ({ game, games, ...rest }) => {
    const files = [...(games ?? []), ...(game === null ? [] : [game])];
    return await createAlfworld(nonNull({ ...rest, games: files.length === 0 ? null : files }));
  },
});
