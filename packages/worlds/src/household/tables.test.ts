import { expect, test } from "vitest";
import { appliances } from "./families.ts";
import { furnishings, thingKinds } from "./household-words.ts";
import { receptacleKinds, roomIds, shuttingKinds, acceptedBy, placesOf } from "./things.ts";

test("every place a thing is kept in can stand in that room", () => {
  const wrong = thingKinds().flatMap((thing) =>
    roomIds.flatMap((room) =>
      [...placesOf(thing, room).keys()]
        .filter((kind) => furnishings()[room][kind] === undefined)
        .map((kind) => `${thing.id} in ${kind} of ${room}`),
    ),
  );
  expect(wrong).toEqual([]);
});

test("what lies in a receptacle can be put back there", () => {
  for (const thing of thingKinds()) {
    const takers = acceptedBy(thing);
    for (const room of roomIds) for (const kind of placesOf(thing, room).keys()) expect(takers.has(kind)).toBe(true);
  }
});

test("names are unique, also without regard to case, and never hold the mark that ends a shown name", () => {
  const names = [...thingKinds().map(({ id }) => id), ...receptacleKinds].map((name) => name.toLowerCase());
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[a-z]+$/.test(name))).toEqual([]);
});

test("every kind of receptacle stands in some room, and every appliance can do its work", () => {
  const standing = new Set(roomIds.flatMap((room) => Object.keys(furnishings()[room])));
  expect(receptacleKinds.filter((kind) => !standing.has(kind))).toEqual([]);
  expect(Object.values(appliances).every((kind) => standing.has(kind))).toBe(true);
  expect([...shuttingKinds].every((kind) => standing.has(kind))).toBe(true);
  for (const treatment of ["clean", "heat", "cool"] as const) {
    expect(thingKinds().filter((thing) => thing.takes.has(treatment)).length).toBeGreaterThan(5);
  }
});
