/** Search: the methods that spend more compute at the moment of decision, and the values they go by. */
export { bestOf } from "./worth.ts";
export { createSearch, getSearch, searches, type SearchId } from "./registry.ts";
export { defineSearch, type SearchDefinition } from "./search.ts";
export { createValue, getValue, values, type ValueId } from "./values/index.ts";
export { defineValue, type Critic, type ValueDefinition, type ValueGivens, type Verifier } from "./values/value.ts";
