/** The words the generator draws from: people, places and goods. All invented or everyday. */

export const FIRST_NAMES = [
  "Ada",
  "Bela",
  "Chidi",
  "Dana",
  "Elif",
  "Farid",
  "Greta",
  "Hanno",
  "Imani",
  "Jonas",
  "Kaya",
  "Lena",
  "Marek",
  "Noor",
  "Odile",
  "Pavel",
  "Quinn",
  "Rosa",
  "Sami",
  "Tova",
  "Uma",
  "Viktor",
  "Wanda",
  "Ximena",
  "Yusuf",
  "Zora",
] as const;

export const LAST_NAMES = [
  "Abel",
  "Brook",
  "Castell",
  "Dorn",
  "Ekberg",
  "Farrow",
  "Gruen",
  "Haas",
  "Ibsen",
  "Jansen",
  "Kovac",
  "Lund",
  "Moreau",
  "Nakata",
  "Okoye",
  "Petrov",
  "Quist",
  "Rossi",
  "Sato",
  "Tanaka",
  "Ulrich",
  "Varga",
  "Weiss",
  "Yilmaz",
  "Zeman",
] as const;

export const STREETS = [
  "Alder Lane",
  "Birch Road",
  "Canal Street",
  "Dock Row",
  "Elm Avenue",
  "Ferry Way",
  "Garden Street",
  "Harbour Road",
  "Ivy Close",
  "Juniper Drive",
  "Kiln Street",
  "Lime Walk",
  "Mill Road",
  "North Quay",
  "Orchard Street",
] as const;

export const CITIES = [
  ["Brightwater", "NK"],
  ["Coldspring", "AR"],
  ["Eastvale", "TN"],
  ["Fairhaven", "MO"],
  ["Greenford", "LE"],
  ["Highmoor", "SK"],
  ["Kingsbay", "OR"],
  ["Lakeside", "WE"],
  ["Millbrook", "DU"],
  ["Northgate", "VA"],
] as const;

export const COUNTRY = "Limbria";

export const CARD_BRANDS = ["Visa", "Mastercard", "Amex"] as const;

/** Goods with their options and a price to start from, in cents. */
export const GOODS: readonly {
  readonly name: string;
  readonly cents: number;
  readonly options: Readonly<Record<string, readonly string[]>>;
}[] = [
  {
    name: "Desk Lamp",
    cents: 3900,
    options: { colour: ["black", "white", "brass"], base: ["clamp", "round", "square"] },
  },
  { name: "Backpack", cents: 7400, options: { colour: ["grey", "navy", "olive"], size: ["small", "medium", "large"] } },
  {
    name: "Water Bottle",
    cents: 2200,
    options: { colour: ["blue", "green", "red"], capacity: ["500 ml", "750 ml", "1 l"] },
  },
  {
    name: "Running Shoes",
    cents: 9800,
    options: { colour: ["black", "red", "white"], size: ["38", "40", "42", "44"] },
  },
  { name: "Rain Jacket", cents: 11500, options: { colour: ["yellow", "navy", "olive"], size: ["S", "M", "L", "XL"] } },
  {
    name: "Office Chair",
    cents: 18900,
    options: { material: ["mesh", "leather", "fabric"], armrest: ["fixed", "adjustable", "none"] },
  },
  {
    name: "Coffee Maker",
    cents: 8600,
    options: { colour: ["black", "steel", "red"], capacity: ["4 cups", "8 cups", "12 cups"] },
  },
  {
    name: "Electric Kettle",
    cents: 4500,
    options: { colour: ["black", "white", "steel"], capacity: ["1 l", "1.5 l", "2 l"] },
  },
  {
    name: "Wool Blanket",
    cents: 6700,
    options: { colour: ["cream", "grey", "rust"], size: ["throw", "double", "king"] },
  },
  { name: "Garden Hose", cents: 3400, options: { length: ["10 m", "20 m", "30 m"], material: ["rubber", "vinyl"] } },
  {
    name: "Bookshelf",
    cents: 14200,
    options: { wood: ["oak", "pine", "walnut"], height: ["120 cm", "160 cm", "200 cm"] },
  },
  { name: "Headphones", cents: 12900, options: { colour: ["black", "blue", "silver"], link: ["wired", "wireless"] } },
  { name: "Keyboard", cents: 9300, options: { layout: ["US", "UK", "German"], keys: ["quiet", "clicky", "linear"] } },
  {
    name: "Yoga Mat",
    cents: 3100,
    options: { colour: ["purple", "teal", "black"], thickness: ["3 mm", "5 mm", "8 mm"] },
  },
  { name: "Bicycle Helmet", cents: 5900, options: { colour: ["white", "black", "orange"], size: ["S", "M", "L"] } },
  {
    name: "Wall Clock",
    cents: 4100,
    options: { frame: ["wood", "metal", "plastic"], diameter: ["25 cm", "30 cm", "40 cm"] },
  },
  { name: "Picnic Basket", cents: 5200, options: { weave: ["willow", "rattan"], places: ["2", "4", "6"] } },
  {
    name: "Sleeping Bag",
    cents: 8800,
    options: { rating: ["summer", "autumn", "winter"], length: ["regular", "long"] },
  },
];
