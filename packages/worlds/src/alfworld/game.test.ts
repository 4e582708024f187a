import { expect, test } from "vitest";
import { parseGameFile } from "./game-file.ts";
import { createGameReader, parseGame } from "./game.ts";
import { openGame } from "./episode.ts";
import { tinyGame } from "../../../../test/support/tiny-game.ts";

const tiny = tinyGame();
const domain = (from: string, to: string) => tinyGame({ pddl_domain: swap(tiny.pddl_domain, from, to) });
const problem = (from: string, to: string) => tinyGame({ pddl_problem: swap(tiny.pddl_problem, from, to) });
const grammar = (from: string, to: string) => tinyGame({ grammar: swap(tiny.grammar, from, to) });

/** A case whose text is not there would test the unchanged game. */
function swap(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`The tiny game does not hold ${from}`);
  return text.replace(from, () => to);
}

const UNLOCK = "(exists (?p - place) (and (at ?a ?p) (stands ?b ?p) (shut ?b)))";

test.each([
  ["not JSON", "{", /"a\/game" ?: it is not JSON/],
  ["a missing part", JSON.stringify({ pddl_domain: "", grammar: "" }), /missing "pddl_problem"/],
  ["a part of the wrong kind", JSON.stringify({ ...tiny, grammar: 3 }), /"grammar"/],
  ["a list", "[]", /wrong or missing/],
])("a file that is %s is refused by name", (_, text, message) => {
  expect(() => parseGameFile(text, "a/game")).toThrow(message);
});

test.each([
  ["a section", domain("(:functions", "(:derived"), /pddl_domain, line 16.*":derived" is not understood/],
  ["a quantifier", domain(UNLOCK, "(forall (?p - place) (shut ?b))"), /line 23.*"forall" is not understood/],
  ["a denied quantifier", domain(UNLOCK, `(not ${UNLOCK})`), /"not exists" is not understood/],
  ["an implication", domain("(and (held ?a ?t) (lamp ?t))", "(imply (held ?a ?t) (lamp ?t))"), /"imply"/],
  ["an effect", domain("(increase (total-cost) 1)", "(assign (total-cost) 1)"), /"assign" is not understood.*increase/],
  [
    "a nested when",
    domain("(when (lit ?t) (not (lit ?t)))", "(when (lit ?t) (when (lit ?t) (lit ?t)))"),
    /when inside when/,
  ],
  ["a type", domain("?b - box)\n    :precondition (exists", "?b - boxes)\n    :precondition (exists"), /type "boxes"/],
  ["a variable", domain(UNLOCK, "(shut ?c)"), /variable "\?c" is not declared/],
  ["too many terms", domain("(busy ?a) (busy ?a)", "(busy ?a ?a)"), /takes 1 terms, not 2/],
  ["a part of an action", domain(":effect (and (busy", ":duration (and (busy"), /":duration" is not understood/],
  ["a fact", problem("(lamp lamp_bar_9)", "(lamps lamp_bar_9)"), /pddl_problem, line \d+.*"lamps"/],
  ["a thing", problem("(lamp lamp_bar_9)", "(lamp lamp_bar_7)"), /"lamp_bar_7" is used but not declared/],
  ["a thing of another type", problem("(in lamp_bar_9 red_bar_1)", "(in red_bar_1 red_bar_1)"), /wrong type/],
  ["no goal", problem("(:goal", "(:metric"), /section ":goal" is missing/],
  ["an open bracket", problem("(shut red_bar_2)", "(shut red_bar_2"), /never closed/],
  ["deep nesting", tinyGame({ pddl_domain: "(".repeat(100_000) }), /nested deeper/],
  ["no brackets", tinyGame({ pddl_problem: "hello" }), /"hello" stands outside/],
  ["an action without text", grammar("action slam", "action slum"), /no text for the action "slam"/],
  [
    "a grammar block that is no JSON",
    grammar('{ "intro"', "{ intro"),
    /grammar, line \d+, a grammar block is not JSON/,
  ],
  ["a query on an unknown predicate", grammar("lit(t:thing)", "lighted(t:thing)"), /"lighted" is not declared/],
  ["a query of another form", grammar("lit(t:thing)", "lit t"), /a query is predicate/],
  ["an unknown attribute", grammar("You pick {t.name}", "You pick {t.weight}"), /attribute "weight"/],
  ["code in an expression", grammar("You pick {t.name}", "You pick {process.exit(1)}"), /an expression is/],
  ["a command that changes", grammar("pick {t} from {b}", "pick [{t.name | in(t:thing, b:box)}]"), /facts that change/],
  ["no opening", grammar('"intro"', '"outro"'), /no rule "intro"/],
])("%s: an error that names it", (_, file, message) => {
  expect(() => parseGame(file)).toThrow(message);
});

test("an unsatisfiable goal is found when the game is read", () => {
  // Only red_bar_1 and red_bar_2 stand at the window; without the second nothing is left for the goal.
  const impossible = problem("(stands red_bar_2 window)", "");
  expect(() => parseGame(impossible)).toThrow(expect.objectContaining({ code: "unsatisfiable-goal" }));
  const nobody = problem("(not (= ?b red_bar_1))", "(lamp ghost)");
  expect(() => parseGame(nobody)).toThrow(expect.objectContaining({ code: "unsatisfiable-goal" }));
});

test("a rule that calls itself, or is missing, is an error and no hang", () => {
  const loop = parseGame(grammar("Light.", "#pressed#"));
  const state = openGame(loop);
  for (const command of ["walk to red 2", "pick lamp 1 from red 2"]) state.act(command);
  expect(() => state.act("press lamp 1")).toThrow('"pressed" calls itself');
  expect(() => openGame(parseGame(grammar("#around#\\n", "#nowhere#\\n"))).opening()).toThrow(
    '"#nowhere#" does not exist',
  );
});

test("a type with a comma glued on has no members, as in the official rules", () => {
  const quirk = domain("(exists (?p - place)", "(exists (?p - place, ?q - place)");
  expect(
    openGame(parseGame(quirk))
      .commands()
      .some((command) => command.startsWith("unlock")),
  ).toBe(false);
});

test("a reader reads the same rules once and still tells games apart", () => {
  const reader = createGameReader();
  const [first, second] = [reader.read(tiny), reader.read(grammar("light the lamp", "find the lamp"))];
  expect(openGame(first).opening()).toContain("light the lamp");
  expect(openGame(second).opening()).toContain("find the lamp");
});

test("rules and texts that multiply without end are refused by name", () => {
  const many = Array.from({ length: 40 }, (_, index) => `?x${index} - place`).join(" ");
  const wide = parseGame(
    domain(
      "?t - thing)\n    :precondition (and (held ?a ?t) (lamp ?t))",
      `?t - thing ${many})\n    :precondition (and (held ?a ?t) (lamp ?t))`,
    ),
  );
  const open = openGame(wide);
  expect(() => {
    open.commands();
    for (let fact = 0; fact < 200; fact += 1) if (wide.blocks.isAnchor(fact)) wide.blocks.get(fact);
  }).toThrow(/more than 1000000 trials/);
  const rules = Array.from({ length: 40 }, (_, index) => `"r${index}": [{"rhs": "#r${index + 1}##r${index + 1}#"}]`);
  const tree = `${rules.join(", ")}, "r40": [{"rhs": "x"}], "intro": [{"rhs": "#r0#"}], "old": [`;
  expect(() => openGame(parseGame(grammar('"intro": [', tree))).opening()).toThrow(/more than 1000000 trials/);
});
