/** The words of the generated world, from `packages/core/data/worlds/research.json`: syllables and parts of names, and sentences. */
import { z } from "zod";
import { words, worldTable } from "limbeck-core/env/world-data";

export const kinds = ["person", "town", "river", "work", "society", "vessel", "honour"] as const;
export type Kind = (typeof kinds)[number];

const facet = z
  .strictObject({
    id: z.string(),
    kind: z.enum(kinds),
    /**
     * Groups of variants; every variant of a group states the same facts. `{s}` stands for the subject, `{maker}` and its
     * like for the object of that relation.
     */
    groups: z.array(z.array(z.string()).readonly()).readonly(),
  })
  .readonly();
export type Facet = z.output<typeof facet>;

export const researchWords = worldTable(
  "research.json",
  z.strictObject({
    /** Parts of invented names. `otherThings` and `otherSeaBirds` stand in titles with "of" only, so that no title is the beginning of another. */
    names: z.strictObject({
      starts: words,
      middles: words,
      joints: words,
      townEnds: words,
      personEnds: words,
      familyEnds: words,
      riverEnds: words,
      colours: words,
      moods: words,
      things: words,
      otherThings: words,
      seaWords: words,
      seaBirds: words,
      otherSeaBirds: words,
      societies: words,
      honours: words,
    }),
    emblems: words,
    facets: z.array(facet).readonly(),
    /** Sentences that state nothing. */
    remarks: z.array(z.string()).readonly(),
  }),
);
