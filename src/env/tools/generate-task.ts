/**
 * Makes tasks: family by turns, everything else drawn from the split and the index.
 *
 * A shop serves `TASKS_PER_SHOP` tasks in a row, so that neighbouring episodes share one base.
 */
import { createRng, pick, shuffle, type Rng } from "../../base/index.ts";
import type { Task } from "../../trajectory/index.ts";
import { Database, type BaseRows } from "./database.ts";
import { FORBIDDEN } from "./forbidden.ts";
import type { ShopSeed } from "./generate-database.ts";
import { identityByEmail, identityByName } from "./phrase.ts";
import { handover, QUESTIONS } from "./questions.ts";
import type { User } from "./retail.ts";
import { scenarioData, type Scenario } from "./scenario.ts";
import { applyCalls } from "./toolbox.ts";
import { WISHES, type Maker, type MakeWish, type Planned } from "./wishes.ts";

const TASKS_PER_SHOP = 64;

/** The remainder that the ids of a split leave; see `generate-database.ts`. */
export const SPLIT_REMAINDERS = { train: 0, valid: 1, test: 2 } as const;
export type ToolsSplit = keyof typeof SPLIT_REMAINDERS;

type MakePlan = (maker: Maker) => readonly Planned[] | undefined;

const CHANGES = ["cancel", "return", "exchange", "modify-items", "order-address", "payment"] as const;

export const FAMILIES = {
  cancel: (maker) => one(WISHES.cancel, maker),
  return: (maker) => one(WISHES.return, maker),
  exchange: (maker) => one(WISHES.exchange, maker),
  modify: (maker) =>
    one(
      pick([WISHES["modify-items"], WISHES["order-address"], WISHES.payment, WISHES["user-address"]], maker.rng),
      maker,
    ),
  information: (maker) => sequence(shuffle(QUESTIONS, maker.rng).slice(0, 1 + maker.rng.int(2)), maker),
  multi: (maker) => sequence(pickTwo(maker.rng), maker),
  // A question follows, so that an agent that declines everything does not pass.
  refusal: (maker) => sequence([pick(FORBIDDEN, maker.rng), pick(QUESTIONS, maker.rng)], maker),
  "changed-mind": (maker) => changedMind(maker),
  handover: (maker) => one(handover, maker),
} as const satisfies Record<string, MakePlan>;

type Family = keyof typeof FAMILIES;
const FAMILY_NAMES = Object.keys(FAMILIES) as Family[];

export function shopOf(split: ToolsSplit, index: number, users?: number): ShopSeed {
  const seed = Math.floor(index / TASKS_PER_SHOP);
  return { seed, remainder: SPLIT_REMAINDERS[split], ...(users === undefined ? {} : { users }) };
}

/** `base` is the rows of `shop`, which the caller keeps. */
export function generateTask(
  env: string,
  place: { readonly split: ToolsSplit; readonly index: number; readonly shop: ShopSeed },
  base: BaseRows,
): Task {
  const { split, index, shop } = place;
  const family = FAMILY_NAMES[index % FAMILY_NAMES.length] as Family;
  const rng = createRng(`tools task ${split} ${index}`);
  const database = new Database(base);
  const users = [...base.users.values()];
  for (let attempt = 0; attempt < users.length; attempt += 1) {
    const user = users[(index + attempt) % users.length] as User;
    const planned = FAMILIES[family]({ database, user, rng: rng.split(attempt), taken: new Set() });
    if (planned === undefined) continue;
    const scenario = toScenario(family, shop, identity(user, database, rng), planned);
    return {
      id: `${env}/${split}/${index}`,
      env,
      seed: index,
      goal: "Serve the customer by the policy of the shop.",
      split,
      data: scenarioData(scenario),
    };
  }
  throw new Error(`internal: no user of shop ${base.id} fits the family ${family}`);
}

function toScenario(family: Family, shop: ShopSeed, identity: string, planned: readonly Planned[]): Scenario {
  return {
    family,
    shop: { ...shop },
    identity,
    requests: planned.map((plan) => plan.request),
    reference: planned.flatMap((plan) => plan.reference),
    outputs: planned.flatMap((plan) => plan.outputs),
  };
}

/** By name only where name and zip point at this user alone. */
function identity(user: User, database: Database, rng: Rng): string {
  const found = database.userByNameAndZip(user.first_name, user.last_name, user.address.zip);
  return found === user && rng.float() < 0.5 ? identityByName(user) : identityByEmail(user);
}

function one(make: MakeWish | undefined, maker: Maker): readonly Planned[] | undefined {
  return sequence([make], maker);
}

/** Each wish about another order than those before, in the shop as the wishes before have left it. */
function sequence(makers: readonly (MakeWish | undefined)[], maker: Maker): readonly Planned[] | undefined {
  const taken = new Set(maker.taken);
  const planned: Planned[] = [];
  let { database } = maker;
  for (const make of makers) {
    const user = database.user(maker.user.user_id) ?? maker.user;
    const made = make?.({ ...maker, database, user, taken });
    if (made === undefined) return undefined;
    const { order, ...plan } = made;
    database = applyCalls(database, plan.reference);
    if (order !== undefined) taken.add(order);
    planned.push(plan);
  }
  return planned;
}

function pickTwo(rng: Rng): MakeWish[] {
  const changes = shuffle(CHANGES, rng).map((wish) => WISHES[wish]);
  const second = rng.float() < 0.4 ? pick(QUESTIONS, rng) : changes[1];
  return [changes[0] as MakeWish, second as MakeWish];
}

/** First one thing, then, when asked for a yes, another; or nothing at all, and then a question. */
function changedMind(maker: Maker): readonly Planned[] | undefined {
  const { rng } = maker;
  const [first, second] = shuffle(CHANGES, rng).map((wish) => WISHES[wish]) as [MakeWish, MakeWish];
  const before = first(maker);
  if (before === undefined) return undefined;
  if (rng.float() < 0.3) {
    const instead = { kind: "question", ask: "Please leave everything as it is.", details: [], mentions: [] } as const;
    const rest = one(pick(QUESTIONS, rng), maker);
    const dropped: Planned = {
      request: { ...before.request, instead: { ...instead, details: [], mentions: [] } },
      reference: [],
      outputs: [],
    };
    return rest === undefined ? undefined : [dropped, ...rest];
  }
  const after = second(maker);
  if (after === undefined) return undefined;
  return [
    { request: { ...before.request, instead: after.request }, reference: after.reference, outputs: after.outputs },
  ];
}
