/** What the expert keeps in mind while it shops: the products it has met, and how many steps are left. */
import type { Seen } from "../expert.ts";
import type { Listing, Sight } from "./reading.ts";

/** What is known of a product. */
interface Candidate {
  readonly listing: Listing;
  /** Lower-case texts read so far: title, features, description. */
  text: string;
  readFeatures: boolean;
  rejected: boolean;
  /** Values clicked since its page was opened. */
  chosen: Set<string>;
}

export interface Memory {
  /** Takes in one moment; to be called for each, in order. */
  remember(seen: Seen, sight: Sight): void;
  candidate(label: string): Candidate | undefined;
  /** The product whose page or sub-page is open. */
  current(): Candidate | undefined;
  stepsLeft(): number;
}

export function createMemory(maxSteps: number): Memory {
  const candidates = new Map<string, Candidate>();
  let current: Candidate | undefined;
  let moments = 0;
  const meet = (listing: Listing): void => {
    if (candidates.has(listing.label)) return;
    const text = listing.title.toLowerCase();
    candidates.set(listing.label, { listing, text, readFeatures: false, rejected: false, chosen: new Set() });
  };
  const lookAt = (sight: Sight & { readonly kind: "item" }, label: string): void => {
    const opened = candidates.get(label);
    if (current === undefined && opened !== undefined) {
      current = opened;
      current.chosen = new Set();
    } else if (sight.options.some(({ values }) => values.includes(label))) current?.chosen.add(label);
  };
  return {
    remember: (seen, sight) => {
      moments += 1;
      const label = /^click\[(.*)\]$/s.exec(seen.action ?? "")?.[1]?.toLowerCase() ?? "";
      if (sight.kind === "results") sight.listings.forEach(meet);
      if (sight.kind === "results" || sight.kind === "search") current = undefined;
      if (sight.kind === "item") lookAt(sight, label);
      if (sight.kind === "text" && current !== undefined) {
        current.text += `\n${sight.text}`;
        current.readFeatures ||= label === "features";
      }
    },
    candidate: (label) => candidates.get(label),
    current: () => current,
    stepsLeft: () => maxSteps + 1 - moments,
  };
}
