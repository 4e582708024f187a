/**
 * A ticket router: a ticket is read, its customer looked up, and it goes to the team of its topic with the priority of the
 * customer's plan, one higher where others have the same trouble.
 */
import { drawOne, smallWorld } from "./small-world.ts";

/** What customers write, by the team that it belongs to. */
const TEAMS: Readonly<Record<string, readonly string[]>> = {
  billing: ["was charged twice", "wants the money back", "has a wrong invoice", "cannot pay by card"],
  access: ["cannot log in", "lost the password", "is locked out", "wants a new key"],
  product: ["sees the page crash", "finds a broken button", "misses the export", "reads a wrong total"],
  delivery: ["waits for the parcel", "got an empty box", "moved to a new street", "got the wrong size"],
};
const PLANS = ["free", "silver", "gold"];
/** Of each plan; the next one where it is an outage. */
const PRIORITIES = ["low", "normal", "high", "urgent"];
const NAMES = [
  "ada",
  "ben",
  "cleo",
  "dan",
  "eve",
  "finn",
  "gus",
  "hana",
  "ivan",
  "june",
  "kofi",
  "lena",
  "mona",
  "nils",
  "omar",
  "pia",
];
const DEVICES = ["phone", "laptop", "tablet", "watch", "printer", "camera", "router", "scanner"];
const OUTAGE = "so do all others";

interface Ticket {
  readonly name: string;
  readonly team: string;
  readonly text: string;
  readonly plan: string;
  readonly device: string;
  readonly isOutage: boolean;
}

interface Facts {
  readonly isRead: boolean;
  readonly isKnown: boolean;
  readonly team: string | undefined;
  readonly priority: string | undefined;
}

const teams = Object.keys(TEAMS);
const priorityOf = (plan: string, isOutage: boolean): string =>
  PRIORITIES[PLANS.indexOf(plan) + Number(isOutage)] ?? "";

export default smallWorld<Ticket, Facts>({
  id: "tickets",
  title: "Tickets",
  meaning: "Reads a ticket, looks its customer up, and sends it to a team with a priority.",
  maxSteps: 7,
  draw: (rng) => {
    const team = drawOne(teams, rng);
    return {
      name: drawOne(NAMES, rng),
      team,
      text: drawOne(TEAMS[team] ?? [], rng),
      plan: drawOne(PLANS, rng),
      device: drawOne(DEVICES, rng),
      isOutage: rng.int(3) === 0,
    };
  },
  goal: ({ name, device }) => `route the ticket of ${name} on a ${device}.`,
  facts: { isRead: false, isKnown: false, team: undefined, priority: undefined },
  actions: ({ name }, { team, priority }) => [
    "read ticket",
    `look up ${name}`,
    ...teams.map((one) => `team ${one}`),
    ...PRIORITIES.map((one) => `priority ${one}`),
    ...(team === undefined || priority === undefined ? [] : ["send"]),
  ],
  act: ({ name, team, text, plan, isOutage }, facts, action) => {
    const [, verb, word = ""] = /^(team|priority) (\w+)$/.exec(action) ?? [];
    if (action === "read ticket") {
      return { said: `${name} ${text}${isOutage ? `, ${OUTAGE}` : ""}.`, facts: { isRead: true } };
    }
    if (action === `look up ${name}`) return { said: `${name} has the ${plan} plan.`, facts: { isKnown: true } };
    if (verb === "team" && teams.includes(word)) return { said: `Team ${word}.`, facts: { team: word } };
    if (verb === "priority" && PRIORITIES.includes(word))
      return { said: `Priority ${word}.`, facts: { priority: word } };
    if (action !== "send" || facts.team === undefined || facts.priority === undefined) return undefined;
    const won = facts.team === team && facts.priority === priorityOf(plan, isOutage);
    return { said: won ? "Well routed." : "It comes back.", won };
  },
  expert: () => {
    let [team, priority, isOutage] = ["", "", false];
    return ({ observation }, goal) => {
      team = teams.find((one) => TEAMS[one]?.some((text) => observation.includes(text))) ?? team;
      isOutage ||= observation.includes(OUTAGE);
      const plan = /the (\w+) plan/.exec(observation)?.[1];
      if (plan !== undefined) priority = priorityOf(plan, isOutage);
      if (team === "") return "read ticket";
      if (priority === "") return `look up ${/ticket of (\w+)/.exec(goal)?.[1]}`;
      if (observation.startsWith("Team")) return `priority ${priority}`;
      return observation.startsWith("Priority") ? "send" : `team ${team}`;
    };
  },
});
