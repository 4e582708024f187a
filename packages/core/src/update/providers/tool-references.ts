/** Tool calls of each step, and those of the world's demonstrator: what MatchTIR matches. */
import { needText } from "../../credit/needs.ts";
import { EngineError } from "limbeck-base/base/errors";
import { callsOf } from "limbeck-base/trajectory/calls";
import { referenceCalls } from "../reference-calls.ts";
import { defineProvider, withRows, withSignals } from "./provider.ts";

export const toolReferences = defineProvider({
  info: {
    title: "Tool calls and their references",
    meaning: "Reads the calls out of the policy's actions and out of those of the world's demonstrator.",
    cost: "one demonstration for each task",
    departures: [
      "A call is what the world itself reads as one: a JSON object with a name and arguments.",
      "A call that the world carried out without an error counts as a success.",
    ],
  },
  supplies: ["toolCalls", "toolSuccess"],
  options: {},
  provide: async (batch, episodes, update) => {
    const byTask = await referenceCalls(episodes, update, needText("toolCalls"));
    const gold = new Map(episodes.map(({ id, task }) => [id, byTask.get(task.id) ?? []]));
    const known = [...gold.values()].some(({ length }) => length > 0);
    if (!known && episodes.length > 0 && episodes.every(({ tools }) => tools === undefined)) {
      throw new EngineError(
        "needs-unmet",
        `The world "${update.env.id}" has no tools, so there are no reference calls to match (toolCalls). Use --env tools, or a credit method without tool calls.`,
        { details: { need: "toolCalls", world: update.env.id } },
      );
    }
    const provided = withRows(batch, (row, at) => {
      const step = batch.steps[at];
      const calls = (step === undefined ? [] : callsOf(step)).map(({ name, arguments: given }) => ({
        name,
        arguments: typeof given === "string" ? null : given,
      }));
      return withSignals(row, {
        calls,
        goldCalls: gold.get(row.trajectory) ?? [],
        toolSucceeded: calls.length > 0 && row.valid,
      });
    });
    const made = provided.rows.reduce((total, { signals }) => total + (signals?.calls?.length ?? 0), 0);
    return { batch: provided, metrics: { calls: made } };
  },
});
