/** The shortest straight way to do an errand, written by one who knows the whole house. */
import { mustStartElsewhere } from "./errand.ts";
import { appliances, familyOf } from "./families.ts";
import type { House, Item } from "./house.ts";
import { lampKind } from "./household-words.ts";
import type { Fixture } from "./layout.ts";
import type { ReceptacleKind } from "./rooms.ts";

export function walkthrough(house: House): readonly string[] {
  const { errand } = house;
  const { count, treatment } = familyOf(errand.family);
  const walk = walker();
  const wanted = house.items.filter(({ kind }) => kind === errand.thing);
  if (errand.target === undefined) {
    const lamp = house.items.find(({ kind }) => kind === lampKind()) as Item;
    walk.take(wanted[0] as Item);
    walk.goTo(lamp.fixture);
    walk.say(`use ${itemName(lamp)}`);
    return walk.steps;
  }
  const target = firstOf(house, errand.target);
  const elsewhere = mustStartElsewhere(errand.family)
    ? wanted.filter(({ fixture }) => fixture.kind !== errand.target)
    : wanted;
  for (const item of elsewhere.slice(0, count)) {
    walk.take(item);
    if (treatment !== undefined) {
      const appliance = firstOf(house, appliances[treatment]);
      walk.goTo(appliance);
      walk.say(`${treatment} ${itemName(item)} with ${fixtureName(appliance)}`);
    }
    walk.open(target);
    walk.say(`move ${itemName(item)} to ${fixtureName(target)}`);
  }
  return walk.steps;
}

/** Keeps track of where the agent stands and of what it has opened. */
function walker(): {
  readonly steps: readonly string[];
  goTo(fixture: Fixture): void;
  open(fixture: Fixture): void;
  take(item: Item): void;
  say(command: string): void;
} {
  const steps: string[] = [];
  const opened = new Set<Fixture>();
  let place = 0;
  const goTo = (fixture: Fixture): void => {
    if (fixture.place !== place) steps.push(`go to ${fixtureName(fixture)}`);
    place = fixture.place;
  };
  const open = (fixture: Fixture): void => {
    goTo(fixture);
    if (fixture.shut && !opened.has(fixture)) steps.push(`open ${fixtureName(fixture)}`);
    opened.add(fixture);
  };
  return {
    steps,
    goTo,
    open,
    take: (item) => {
      open(item.fixture);
      steps.push(`take ${itemName(item)} from ${fixtureName(item.fixture)}`);
    },
    say: (command) => void steps.push(command),
  };
}

function firstOf(house: House, kind: ReceptacleKind): Fixture {
  return house.fixtures.find((fixture) => fixture.kind === kind) as Fixture;
}

function fixtureName({ kind, number }: Fixture): string {
  return `${kind.toLowerCase()} ${number}`;
}

function itemName({ kind, number }: Item): string {
  return `${kind.id.toLowerCase()} ${number}`;
}
