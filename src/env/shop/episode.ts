/** One errand in the shop. It holds its place and the shared inventory, nothing else: ten thousand of them are cheap. */
import { createHash } from "node:crypto";
import { scored, type Ending, type Task } from "../../trajectory/index.ts";
import type { Episode } from "../env.ts";
import { episodeOf } from "../episode-of.ts";
import {
  parseAction,
  follow,
  labels,
  OPENING,
  pageKey,
  productOf,
  SEARCH_FORM,
  visibleStrings,
  type Page,
  type Inventory,
} from "./page.ts";
import type { Goal } from "./goal.ts";
import { observe, type ObservationForm } from "./observe.ts";
import type { Product } from "./product.ts";
import { scorePurchase, type NounTagger, type Purchase } from "./reward.ts";

/** What all episodes of a shop share. */
export interface ShopFloor {
  readonly inventory: Inventory;
  readonly nouns: NounTagger;
  readonly maxSteps: number;
  readonly form: ObservationForm;
  /** The reward of a purchase that scored this. */
  readonly reward: (score: number) => number;
}

/** Where an episode stands. */
interface ShopState {
  readonly page: Page;
  readonly steps: number;
  readonly reward: number;
  readonly ending: Ending | undefined;
  readonly success: boolean | null;
}

const START: ShopState = { page: OPENING, steps: 0, reward: 0, ending: undefined, success: null };

/** Keys longer than this are shortened to a digest, so that a long search does not fill a trajectory. */
const MAX_KEY_LENGTH = 200;

export function openEpisode(floor: ShopFloor, task: Task, goal: Goal): Episode {
  const { inventory } = floor;
  return episodeOf(task, START, {
    observation: ({ page }) => observe(floor.form, visibleStrings(inventory, page, goal.instruction), goal.instruction),
    stateKey: ({ page }) => shorten(pageKey(inventory, page)),
    ending: ({ ending }) => ending,
    reward: ({ reward }) => scored(reward),
    success: ({ success }) => success,
    admissible: ({ ending, page }) => (ending === undefined ? listActions(inventory, page) : []),
    // Everything but the purchase can be left by a click: pages, searches, choices.
    irreversible: ({ ending, page }, text) => ending === undefined && leadsTo(inventory, page, text)?.kind === "bought",
    step: (before, text) => {
      const next = leadsTo(inventory, before.page, text);
      const page = next ?? before.page;
      const steps = before.steps + 1;
      const valid = next !== undefined;
      if (page.kind !== "bought") {
        const late = steps >= floor.maxSteps ? ({ ending: "truncated", success: false } as const) : {};
        return { state: { ...before, page, steps, ...late }, valid, reward: scored(0) };
      }
      const purchase = judge(floor, goal, page);
      const gained = floor.reward(purchase.score);
      const [reward, success] = [before.reward + gained, purchase.score === 1];
      const state: ShopState = { page, steps, reward, ending: "terminated", success };
      return { state, valid, reward: scored(gained), info: { ...purchase } };
    },
  });
}

/** The page after an action; undefined where it is refused. */
function leadsTo(inventory: Inventory, page: Page, text: string): Page | undefined {
  const action = parseAction(text);
  return action === undefined ? undefined : follow(inventory, page, action);
}

/** The search form where the page has a search bar, then one click per label. */
function listActions(inventory: Inventory, page: Page): string[] {
  const clicks = labels(inventory, page).map((label) => `click[${label}]`);
  return page.kind === "search" ? [SEARCH_FORM, ...clicks] : clicks;
}

function judge({ inventory, nouns }: ShopFloor, goal: Goal, page: Page & { readonly kind: "bought" }): Purchase {
  const wanted = inventory.catalogue.products[goal.product] as Product;
  return scorePurchase(productOf(inventory, page.item), [...page.item.chosen.values()], goal, wanted, nouns);
}

function shorten(key: string): string {
  return key.length <= MAX_KEY_LENGTH ? key : createHash("sha256").update(key).digest("hex");
}
