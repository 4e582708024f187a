/** One errand in the shop. It holds its place and the shared inventory, nothing else: ten thousand of them are cheap. */
import { createHash } from "node:crypto";
import { throwIfAborted } from "../../base/index.ts";
import { scored, type Ending, type JsonObject, type Task } from "../../trajectory/index.ts";
import type { Episode, StepResult } from "../env.ts";
import { episodeClosed, episodeEnded } from "../episode-error.ts";
import { parseAction } from "./action.ts";
import type { Goal } from "./goal.ts";
import { observe, type ObservationForm } from "./observe.ts";
import {
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

/** Where an episode stands; a fork begins with a copy of it. */
interface Place {
  readonly page: Page;
  readonly steps: number;
  readonly reward: number;
  readonly ending: Ending | undefined;
  readonly success: boolean | null;
}

const START: Place = { page: OPENING, steps: 0, reward: 0, ending: undefined, success: null };

/** Keys longer than this are shortened to a digest, so that a long search does not fill a trajectory. */
const MAX_KEY_LENGTH = 200;

export function openEpisode(floor: ShopFloor, task: Task, goal: Goal, place: Place = START): Episode {
  let { page, steps, reward, ending, success } = place;
  let closed = false;
  const see = (): string =>
    observe(floor.form, visibleStrings(floor.inventory, page, goal.instruction), goal.instruction);
  return {
    task,
    get observation() {
      return see();
    },
    get stateKey() {
      return shorten(pageKey(floor.inventory, page));
    },
    get ending() {
      return ending;
    },
    get reward() {
      return scored(reward);
    },
    get success() {
      return success;
    },
    admissible: () => (ending === undefined ? listActions(floor.inventory, page) : []),
    // Everything but the purchase can be left by a click: pages, searches, choices.
    irreversible: (text) => ending === undefined && leadsTo(floor.inventory, page, text)?.kind === "bought",
    step: async (text, options): Promise<StepResult> => {
      throwIfAborted(options?.signal);
      if (closed) throw episodeClosed(task);
      if (ending !== undefined) throw episodeEnded(task, ending);
      const next = leadsTo(floor.inventory, page, text);
      page = next ?? page;
      steps += 1;
      const purchase = page.kind === "bought" ? judge(floor, goal, page) : undefined;
      const gained = purchase === undefined ? 0 : floor.reward(purchase.score);
      reward += gained;
      if (purchase !== undefined) [ending, success] = ["terminated", purchase.score === 1];
      else if (steps >= floor.maxSteps) [ending, success] = ["truncated", false];
      const info = purchase === undefined ? {} : { info: purchaseInfo(purchase) };
      return { observation: see(), reward: scored(gained), valid: next !== undefined, ending, success, ...info };
    },
    fork: async () => {
      if (closed) throw episodeClosed(task);
      return openEpisode(floor, task, goal, { page, steps, reward, ending, success });
    },
    close: async () => {
      closed = true;
    },
  };
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

function purchaseInfo(purchase: Purchase): JsonObject {
  return { ...purchase };
}

function shorten(key: string): string {
  return key.length <= MAX_KEY_LENGTH ? key : createHash("sha256").update(key).digest("hex");
}
