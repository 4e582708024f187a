/**
 * A form with validation: three fields are filled in from what is known of a person. How each is to be written is not said
 * before the form is submitted; then every wrong field is named with its rule, once.
 */
import { drawOne, smallWorld } from "./small-world.ts";

const FIRST = ["ada", "ben", "cleo", "dan", "eve", "finn", "gus", "hana"];
const LAST = ["brown", "cook", "diaz", "frost", "grant", "hill"];
const MONTHS = ["march", "april", "may", "june", "july", "august"];
const DAYS = ["2", "5", "9", "14", "20", "27"];
const CITIES = ["oslo", "rome", "lima", "cairo", "quito", "paris"];
const COUNTRIES: Readonly<Record<string, string>> = {
  oslo: "norway",
  rome: "italy",
  lima: "peru",
  cairo: "egypt",
  quito: "ecuador",
  paris: "france",
};
const FIELDS = ["name", "born", "place"] as const;
const SUBMITS = 2;

type Field = (typeof FIELDS)[number];

interface Person {
  readonly first: string;
  readonly last: string;
  readonly day: string;
  readonly month: string;
  readonly city: string;
  /** The fields that this form wants the other way round. */
  readonly turned: Readonly<Record<Field, boolean>>;
}

interface Facts {
  readonly filled: Readonly<Partial<Record<Field, string>>>;
  readonly submits: number;
}

/** How a field is written; each has a usual way and another one, which the validation names. */
function written(field: Field, { first, last, day, month, city }: Omit<Person, "turned">, turned: boolean): string {
  if (field === "place") return turned ? `${city} ${COUNTRIES[city]}` : city;
  const [one, other] = field === "name" ? [first, last] : [day, month];
  return turned ? `${other} ${one}` : `${one} ${other}`;
}

const RULES: Readonly<Record<Field, string>> = { name: "last name first", born: "month first", place: "with country" };

const wrongFields = (person: Person, { filled }: Facts): readonly Field[] =>
  FIELDS.filter((field) => filled[field] !== written(field, person, person.turned[field]));

export default smallWorld<Person, Facts>({
  id: "form",
  title: "Form",
  meaning: "Fills a form in, submits it, and mends the fields that its validation names.",
  maxSteps: 10,
  draw: (rng) => ({
    first: drawOne(FIRST, rng),
    last: drawOne(LAST, rng),
    day: drawOne(DAYS, rng),
    month: drawOne(MONTHS, rng),
    city: drawOne(CITIES, rng),
    turned: { name: rng.int(2) === 0, born: rng.int(2) === 0, place: rng.int(2) === 0 },
  }),
  goal: ({ first, last, day, month, city }) => `register ${first} ${last}, born ${day} ${month} in ${city}.`,
  facts: { filled: {}, submits: 0 },
  act: (person, facts, action) => {
    const [, name, value = ""] = /^(name|born|place) ([a-z0-9 ]{1,40})$/.exec(action) ?? [];
    const field = FIELDS.find((one) => one === name);
    if (field !== undefined) {
      return { said: `${field} is ${value}.`, facts: { filled: { ...facts.filled, [field]: value } } };
    }
    if (action !== "submit" || FIELDS.some((one) => facts.filled[one] === undefined)) return undefined;
    const wrong = wrongFields(person, facts);
    const submits = facts.submits + 1;
    if (wrong.length === 0) return { said: "Accepted.", won: true };
    if (submits >= SUBMITS) return { said: "Rejected.", won: false };
    return { said: `Wrong: ${wrong.map((one) => `${one} ${RULES[one]}`).join(", ")}.`, facts: { submits } };
  },
  expert: () => {
    const done = new Set<Field>();
    const turned = { name: false, born: false, place: false };
    return ({ observation }, goal) => {
      const [, first = "", last = "", day = "", month = "", city = ""] =
        /register (\w+) (\w+), born (\w+) (\w+) in (\w+)/.exec(goal) ?? [];
      for (const field of FIELDS) {
        if (observation.startsWith(`${field} is`)) done.add(field);
        if (!observation.startsWith("Wrong:") || !observation.includes(RULES[field])) continue;
        turned[field] = true;
        done.delete(field);
      }
      const next = FIELDS.find((field) => !done.has(field));
      if (next === undefined) return "submit";
      return `${next} ${written(next, { first, last, day, month, city }, turned[next])}`;
    };
  },
});
