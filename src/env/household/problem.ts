/**
 * Writes a house as a PDDL problem.
 *
 * An interpreter shows an id as the text before its first `_bar_` and numbers equal names against the order of their
 * ids, so the ids count down while the shown numbers count up. A basin's id carries its full name at the end, because
 * the shown name is put together from both.
 */
import type { Errand } from "./errand.ts";
import { appliances, familyOf } from "./families.ts";
import type { House, Item } from "./house.ts";
import { lampKind } from "./household-words.ts";
import type { Fixture } from "./layout.ts";
import { shuttingKinds } from "./rooms.ts";
import { acceptedBy } from "./things.ts";

const BASIN = "Basin";

export function householdProblem(house: House, name: string): string {
  const fixtureIds = idsOf(house.fixtures, ({ kind }) => kind, fixtureId);
  const itemIds = idsOf(house.items, ({ kind }) => kind.id, numberedId);
  const places = Math.max(...house.fixtures.map(({ place }) => place)) + 1;
  const varieties = [...new Set(house.fixtures.map(({ kind }) => kind))];
  const sorts = [...new Set(house.items.map(({ kind }) => kind))];
  const objects = [
    "agent1 - agent",
    ...Array.from({ length: places }, (_, place) => `${placeId(place)} - place`),
    ...[...fixtureIds.values()].map((id) => `${id} - receptacle`),
    ...[...itemIds.values()].map((id) => `${id} - object`),
    ...varieties.map((kind) => `${kind}Type - rkind`),
    ...sorts.map(({ id }) => `${id}Type - okind`),
  ];
  const facts = [
    `(at agent1 ${placeId(0)})`,
    ...house.fixtures.flatMap((fixture) => fixtureFacts(fixture, fixtureIds.get(fixture) as string)),
    ...house.items.flatMap((item) =>
      itemFacts(item, itemIds.get(item) as string, fixtureIds.get(item.fixture) as string),
    ),
    ...sorts.flatMap((sort) => {
      const accepting = acceptedBy(sort);
      return varieties.filter((kind) => accepting.has(kind)).map((kind) => `(accepts ${kind}Type ${sort.id}Type)`);
    }),
  ];
  return [
    `(define (problem ${name})`,
    "(:domain household)",
    "(:objects",
    ...objects,
    ")",
    "(:init",
    ...facts,
    ")",
    `(:goal ${goalText(house.errand)})`,
    ")",
    "",
  ].join("\n");
}

function fixtureFacts({ kind, place, shut }: Fixture, id: string): readonly string[] {
  const facts = [`(stands ${id} ${placeId(place)})`, `(variety ${id} ${kind}Type)`];
  if (shuttingKinds.has(kind)) facts.push(`(shuts ${id})`);
  if (!shut) facts.push(`(reachable ${id})`);
  if (kind === appliances.clean) facts.push(`(washer ${id})`);
  if (kind === appliances.heat) facts.push(`(heater ${id})`);
  if (kind === appliances.cool) facts.push(`(cooler ${id})`);
  return facts;
}

function itemFacts({ kind, fixture }: Item, id: string, holder: string): readonly string[] {
  const facts = [`(sort ${id} ${kind.id}Type)`, `(inside ${id} ${holder})`, `(lies ${id} ${placeId(fixture.place)})`];
  facts.push(kind.lamp ? `(switchable ${id})` : `(portable ${id})`);
  if (kind.takes.has("clean")) facts.push(`(washable ${id})`);
  if (kind.takes.has("heat")) facts.push(`(heatable ${id})`);
  if (kind.takes.has("cool")) facts.push(`(coolable ${id})`);
  if (kind.sliceable) facts.push(`(sliceable ${id})`);
  if (kind.blade) facts.push(`(blade ${id})`);
  if (kind.hollow) facts.push(`(hollow ${id})`);
  return facts;
}

const stateFacts = { clean: "clean", cool: "cool", heat: "hot" } as const;

/** What must hold in the end: some thing, some receptacle; always existential. */
function goalText({ family, thing, target }: Errand): string {
  const { count, treatment } = familyOf(family);
  const sort = `${thing.id}Type`;
  if (target === undefined) {
    const lamp = "(exists (?a - agent ?p - place ?r - receptacle ?o - object) (and (at ?a ?p) (stands ?r ?p)";
    const held = `(exists (?a - agent ?o - object) (and (carries ?a ?o) (sort ?o ${sort})))`;
    return `(and ${lamp} (inside ?o ?r) (sort ?o ${lampKind().id}Type) (switchable ?o) (lit ?o))) ${held})`;
  }
  const state = treatment === undefined ? "" : ` (${stateFacts[treatment]} ?o)`;
  const first = `(variety ?r ${target}Type) (inside ?o ?r) (sort ?o ${sort})${state}`;
  const second =
    count === 1 ? "" : ` (exists (?o2 - object) (and (not (= ?o ?o2)) (inside ?o2 ?r) (sort ?o2 ${sort})))`;
  return `(exists (?r - receptacle) (exists (?o - object) (and ${first}${second})))`;
}

/** An id for every piece; the shown number of a name's first id is the highest. */
function idsOf<T extends { readonly number: number }>(
  pieces: readonly T[],
  nameOf: (piece: T) => string,
  idOf: (name: string, position: number) => string,
): ReadonlyMap<T, string> {
  const totals = new Map<string, number>();
  for (const piece of pieces) totals.set(nameOf(piece), (totals.get(nameOf(piece)) ?? 0) + 1);
  return new Map(
    pieces.map((piece) => [piece, idOf(nameOf(piece), (totals.get(nameOf(piece)) as number) - piece.number + 1)]),
  );
}

/** Three digits, so that ids of up to 999 equal names sort as numbers. */
function numberedId(name: string, position: number): string {
  return `${name}_bar_${String(position).padStart(3, "0")}`;
}

function fixtureId(kind: string, position: number): string {
  if (!kind.endsWith(BASIN)) return numberedId(kind, position);
  return `${numberedId(kind.slice(0, -BASIN.length), position)}_bar_${kind}`;
}

function placeId(place: number): string {
  return `place_${String(place).padStart(3, "0")}`;
}
