/** Words that quests are told in. Made-up ones are among them, so that a name has to be read and not to be known. */
import { pick } from "../../../packages/base/src/base/rng.ts";
import type { Rng } from "limbeck";

const list = (text: string): readonly string[] => text.trim().split(/\s+/);

const THINGS = list(`
  lamp rope cup book map coin ring bell knife candle letter basket hammer mirror flute bottle shirt stone apple loaf key
  feather drum brush blanket ladder spoon clock box jar hat glove pen scarf ticket parcel wheel nail bucket towel plate
  glass stamp violin lens battery cable screw valve filter sample report invoice file photo badge folder tape ruler ball
  kite doll boat cart saddle net seed leaf shell bone pearl crown shield arrow torch cloak potion scroll amulet gem
`);
const PLACES = list(`
  kitchen cellar garden attic hall library stable tower market harbour bridge mill forest cave chapel workshop office
  station museum bakery garage lab archive balcony courtyard barn dock field shed pantry lobby studio vault kiosk gate
  camp farm inn well lighthouse greenhouse clinic school depot terrace bathroom bedroom corridor cabin quarry meadow
`);
const QUALITIES = list(`
  red blue green yellow white black grey brown silver golden small large heavy light old new broken clean dusty round
  square long short warm cold soft hard wooden iron glass paper plain bright dark
`);
const PEOPLE = list(`
  Anna Boris Clara David Elena Felix Greta Hugo Ines Jonas Kira Leon Mara Nils Olga Paul Rosa Simon Tara Viktor Wanda
  Yusuf Zoe Amir Bela Chen Dora Emil Fatima Goran Hana Ivan Julia Karim Lena Milan Nora Omar Petra Quinn Rita Stefan
`);
const TASKS_OF_WORK = list(`
  wash peel cut boil mix stir bake cool fold sand paint oil glue weigh label pack seal check count sort scan print sign
  stamp test clean dry heat fill drain close mark measure polish wrap load rinse grind melt press
`);
const BEGINNINGS = list(
  "ba be bo da de do fa fe ga go ha he ka ko la le lo ma me mo na ne no pa po ra re ro sa so ta te to va ze",
);
const ENDINGS = list("bin dar fel gan kor lan lim mas mer nok pel rik ros san tem tor ul vek wen zol");

export interface QuestWords {
  readonly things: (count: number) => readonly string[];
  readonly places: (count: number) => readonly string[];
  readonly people: (count: number) => readonly string[];
  readonly qualities: (count: number) => readonly string[];
  readonly work: (count: number) => readonly string[];
}

/** Different words of each kind; in a quarter of the quests some are made up. */
export function questWords(rng: Rng): QuestWords {
  const invented = rng.float() < 0.25;
  const from = (words: readonly string[], madeUp: boolean) => (count: number) => {
    const found = new Set<string>();
    while (found.size < count) found.add(madeUp && rng.float() < 0.6 ? inventWord(rng) : (pick(words, rng) as string));
    return [...found];
  };
  return {
    things: from(THINGS, invented),
    places: from(PLACES, invented),
    people: from(PEOPLE, invented),
    qualities: from(QUALITIES, false),
    work: from(TASKS_OF_WORK, false),
  };
}

function inventWord(rng: Rng): string {
  const middle = rng.float() < 0.4 ? (pick(BEGINNINGS, rng) as string) : "";
  return `${pick(BEGINNINGS, rng) as string}${middle}${pick(ENDINGS, rng) as string}`;
}

/** One of the wordings that people use for the same thing. */
export function oneOf(rng: Rng, ...ways: readonly string[]): string {
  return pick(ways, rng) as string;
}
