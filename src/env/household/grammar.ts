/**
 * The words of the household world, in the text grammar of a game file.
 *
 * Command forms and reply sentences are those of ALFWorld, so that what is learnt in one world can be used in the
 * other; only the help text differs. A rule is a list of variants, the first whose condition holds is printed.
 */
interface Variant {
  readonly condition?: string;
  readonly rhs: string;
}

const say = (rhs: string): readonly Variant[] => [{ rhs }];
const when = (condition: string, rhs: string): Variant => ({ condition, rhs });

const contents = (holder: string, condition: string): string =>
  `[{${holder}.indefinite + ' ' + ${holder}.name | ${condition}}]`;
const stored = contents("o", "inside(o:object, r:receptacle)");
const beside =
  "at(a:agent, p:place) & lies(o:object, p:place) & stands(r:receptacle, p:place) & not_inside(o:object, r:receptacle)";
const faced = "at(a:agent, p:place) & stands(r:receptacle, p:place)";

/** The state words of a thing in the hand, most telling first. */
function stateVariants(): readonly Variant[] {
  const states: readonly (readonly [readonly string[], string])[] = [
    [["clean", "hot", "sliced"], "hot and clean sliced"],
    [["clean", "cool", "sliced"], "cool and clean sliced"],
    [["clean", "sliced"], "clean sliced"],
    [["hot", "sliced"], "hot sliced"],
    [["cool", "sliced"], "cool sliced"],
    [["clean", "hot"], "hot and clean"],
    [["clean", "cool"], "cool and clean"],
    [["hot"], "hot"],
    [["clean"], "clean"],
    [["cool"], "cold"],
    [["sliced"], "sliced"],
  ];
  return states.map(([facts, words]) =>
    when(facts.map((fact) => `${fact}(o:object)`).join(" & "), `This is a ${words} {o.name}.`),
  );
}

const phrases: Readonly<Record<string, readonly Variant[]>> = {
  intro: say("-= Welcome to TextWorld, ALFRED! =-\n\n#surroundings#\n\n#task#"),
  surroundings: [
    when(faced, `You are facing the [{r.name | ${faced}}]. Next to it, you see #floor#.`),
    { rhs: "You are in the middle of a room. Looking quickly around you, you see #furniture#." },
  ],
  floor: [when(beside, contents("o", beside)), { rhs: "nothing" }],
  furniture: [
    when("stands(r:receptacle, p:place)", contents("r", "stands(r:receptacle, p:place)")),
    { rhs: "nothing" },
  ],
  inside: [
    when("shuts(r:receptacle) & reachable(r:receptacle)", `The {r.name} is open. In it, you see ${stored}.`),
    when("shuts(r:receptacle)", "The {r.name} is closed."),
    { rhs: `On the {r.name}, you see ${stored}.` },
  ],
  hands: [
    when("busy(a:agent)", `You are carrying: ${contents("o", "carries(a:agent, o:object)")}.`),
    { rhs: "You are not carrying anything." },
  ],
  closely: [
    when(
      "hollow(o:object)",
      `This is a normal {o.name}. In it, you see ${contents("o2", "contains(o:object, o2:object)")}.`,
    ),
    ...stateVariants(),
    { rhs: "There's nothing special about {o.name}." },
  ],
  list_empty: say("nothing"),
  list_separator: say(", "),
  list_last_separator: say(", and "),
};

/** Command form and reply of every rule of the domain. */
const commands: Readonly<Record<string, readonly [template: string, feedback: string]>> = {
  look: ["look", "#surroundings#"],
  inventory: ["inventory", "#hands#"],
  inspect: ["examine {r}", "#inside#"],
  study: ["examine {o}", "#closely#"],
  walk: ["go to {r}", "You arrive at {r.name}. #inside#"],
  unlatch: ["open {r}", "You open the {r.name}. #inside#"],
  shut: ["close {r}", "You close the {r.name}."],
  take: ["take {o} from {r}", "You pick up the {o.name} from the {r.name}."],
  place: ["move {o} to {r}", "You move the {o.name} to the {r.name}."],
  wash: ["clean {o} with {r}", "You clean the {o.name} using the {r.name}."],
  warm: ["heat {o} with {r}", "You heat the {o.name} using the {r.name}."],
  chill: ["cool {o} with {r}", "You cool the {o.name} using the {r.name}."],
  switch: ["use {o}", "You turn on the {o.name}."],
  cut: ["slice {o} with {k}", "You sliced the {o.name} with the {k.name}."],
  help: ["help", "#manual#"],
};

const manual = say(
  "You can look, check your inventory, go to a receptacle, open or close it, take an object from it, move an object " +
    "to it, examine what is at hand, use a lamp, clean, heat or cool what you hold, or slice with a knife.",
);

/** What an opening puts before the errand itself. */
export const TASK_PREFIX = "Your task is to: ";

const phrasesText = Object.entries({ ...phrases, manual })
  .map(([name, variants]) => `${JSON.stringify(name)}: ${JSON.stringify(variants)}`)
  .join(",\n");

/**
 * The phrases stand in the grammar of one action, as the official files do it with theirs, so that this text is the
 * same in every game and a reader that remembers texts reads it once.
 */
const actionsText = Object.entries(commands)
  .map(([name, [template, reply]]) => {
    const own = name === "look" ? `  grammar :: """\n{\n${phrasesText}\n}\n""";\n` : "";
    return `action ${name} {\n  template :: "${template}";\n  feedback :: "${reply}";\n${own}}\n`;
  })
  .join("\n");

/** The whole grammar for one errand. */
export function householdGrammar(errand: string): string {
  const task = JSON.stringify({ task: say(`${TASK_PREFIX}${errand}`) });
  return `grammar :: """\n${task}\n""";\n\n${actionsText}`;
}
