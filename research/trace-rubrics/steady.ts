import { defineAgent } from "limbeck/search";
import { createSlipper } from "./slipper.ts";

// oxlint-disable-next-line import/no-default-export -- --policy reads the default.
export default defineAgent({
  info: { title: "Slipper", meaning: "Household's expert; slips in a share of 0 of the episodes." },
  create: () => createSlipper({ episodes: 0, steps: 0 }),
});
