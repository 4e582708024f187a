/** What is measured where. Settings were chosen on seeds 0 to 4; what is measured begins behind them. */

export interface Arm {
  readonly name: string;
  readonly strategy: string;
  readonly options: Readonly<Record<string, number | string>>;
}

export interface World {
  readonly name: "countdown" | "research" | "household" | "household, equal tokens";
  /** Of the world and its model, where the name says more. */
  readonly env?: "household";
  readonly envOptions: Readonly<Record<string, string>>;
  readonly seeds: number;
  readonly tasks: number;
  /** The first is what the others are compared with. */
  readonly arms: readonly [Arm, ...Arm[]];
}

const GROUP: Arm = { name: "group", strategy: "group", options: { size: 8 } };
const TREEPO: Arm = { name: "treepo", strategy: "treepo", options: { width: 8 } };
const LATR: Arm = { name: "latr", strategy: "latr", options: { size: 8 } };

/** Ten leaves. Hot, a tree takes a little less than ten independent episodes, which is what it is compared with. */
const ten = (name: string, options: Readonly<Record<string, number>>): Arm => ({ name, strategy: "tree", options: { when: "every", nodes: 10, ...options } }); // prettier-ignore
const HOT = { temperature: 2, cooling: 0.5 } as const;
const TEN: World["arms"] = [
  { name: "group", strategy: "group", options: { size: 10 } },
  ten("tree", {}),
  ten("tree, temperature by depth", HOT),
  // Nothing is shared: what the heat does without a tree.
  ten("independent, temperature by depth", { ...HOT, roots: 10 }),
];

export const FIRST_SEED = 5;

/** Eight hot paths take no more tokens than eight independent ones: what they share makes up for longer answers. */
export const WORLDS: readonly World[] = [
  {
    name: "countdown",
    envOptions: { level: "easy" },
    seeds: 40,
    tasks: 12,
    arms: [
      GROUP,
      TREEPO,
      LATR,
      { name: "rose", strategy: "rose", options: { size: 8 } },
      { name: "rose by token entropy", strategy: "rose", options: { size: 8, metric: "entropy" } },
    ],
  },
  {
    name: "research",
    envOptions: {},
    seeds: 20,
    tasks: 8,
    arms: [
      GROUP,
      TREEPO,
      LATR,
      {
        name: "tree of treeps-rag",
        strategy: "tree",
        options: { when: "disagreement", frontier: "documents", branches: 4, nodes: 16 },
      },
    ],
  },
  {
    name: "household",
    envOptions: { dial: "tiny" },
    seeds: 20,
    tasks: 4,
    arms: [
      GROUP,
      TREEPO,
      LATR,
      { name: "tree", strategy: "tree", options: { when: "every", nodes: 8 } },
      {
        name: "tree, temperature by depth",
        strategy: "tree",
        options: { when: "every", nodes: 8, temperature: 1.5, cooling: 0.5 },
      },
    ],
  },
  {
    name: "household, equal tokens",
    env: "household",
    envOptions: { dial: "tiny" },
    seeds: 10,
    tasks: 4,
    arms: TEN,
  },
];
