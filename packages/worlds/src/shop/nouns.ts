/**
 * The nouns of a product title, by wink-nlp's tagger (universal part-of-speech tags, as spaCy's).
 * The library and its model are loaded when the first shop is opened, not before.
 */
import { optionalPart } from "limbeck-base/base/optional-part";
import type { NounTagger } from "./reward.ts";

/** Tagging a title costs about 50 microseconds; each title is tagged once per tagger. */
export async function loadNounTagger(): Promise<NounTagger> {
  const [{ default: winkNLP }, { default: model }] = await optionalPart("shop", () =>
    Promise.all([import("wink-nlp"), import("wink-eng-lite-web-model")]),
  );
  const nlp = winkNLP(model, ["sbd", "pos"]);
  const known = new Map<string, readonly string[]>();
  return (title) => {
    const before = known.get(title);
    if (before !== undefined) return before;
    const tokens = nlp.readDoc(title).tokens();
    // oxlint-disable typescript/unbound-method -- the library takes these by reference; they do not use `this`
    const texts = tokens.out(nlp.its.value);
    const tags = tokens.out(nlp.its.pos);
    // oxlint-enable typescript/unbound-method
    const nouns = texts.filter((_, index) => tags[index] === "NOUN" || tags[index] === "PROPN");
    const lower = nouns.map((noun) => noun.toLowerCase());
    known.set(title, lower);
    return lower;
  };
}
