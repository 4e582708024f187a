/** The search that a command line describes, for commands that are not operations yet. */
import { checkRules, type InputSpec, type InputTable } from "../../base/operation.ts";
import type { OpenedSearch } from "../../run/index.ts";
import { givenSearch } from "../../run/given-search.ts";
import { SEARCH_RULE, searchInputs } from "../../run/search.inputs.ts";
import { frameOf, readInput } from "../command-of.ts";
import type { Invocation } from "../command.ts";
import { flagOf } from "../options-of.ts";

/** Undefined where no search is asked for; then its other options have no place either. */
export async function chosenSearch(invocation: Invocation): Promise<OpenedSearch | undefined> {
  const method = invocation.text("search");
  const frame = frameOf<never>(invocation, searchInputs);
  const given = (name: string): boolean => (name === "search" ? method !== undefined : frame.given(name));
  checkRules([SEARCH_RULE], given, (name) => `--${flagOf(name, (searchInputs as InputTable)[name] as InputSpec)}`);
  const policy = invocation.text("policy") ?? invocation.text("model");
  const input = { ...readInput(searchInputs, invocation), policy };
  return method === undefined ? undefined : await givenSearch(method, input, frame);
}
