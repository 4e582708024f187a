/** The policy that is trained as the writer of its own skills. */
import { expect, test } from "vitest";
import { train } from "./train.ts";
import type { UpdateEvent } from "./events.ts";

const SMALL = { tasks: 1, group: 1, maxSteps: 1 } as const;

async function firstUpdate(writer?: "policy"): Promise<UpdateEvent> {
  const updates: UpdateEvent[] = [];
  await train({
    recipe: "opid",
    env: "countdown",
    steps: 1,
    keep: false,
    settings: SMALL,
    report: { tasks: 1 },
    validation: { every: 0 },
    ...(writer === undefined ? {} : { writer }),
    onEvent: (event) => {
      if (event.kind === "update") updates.push(event);
    },
  });
  return updates[0] as UpdateEvent;
}

test(
  "it is asked, what it says is booked, and where that is of no use the statistics write",
  { timeout: 300_000 },
  async () => {
    const [plain, own] = [await firstUpdate(), await firstUpdate("policy")];
    // The bundled model was never taught to write: one episode, one writing by the template.
    expect(own.metrics).toMatchObject({ "writer/template": 1, "analyst/analysed": 1, "analyst/failed": 0 });
    expect(own.metrics["writer/model"] ?? 0).toBe(0);
    expect(plain.metrics["writer/template"]).toBeUndefined();
    // The same skills in the end, and so the same learning; only more went through the model.
    expect(own.metrics["teacher/shift"]).toBe(plain.metrics["teacher/shift"]);
    expect(own.spent.modelTokens).toBeGreaterThan(plain.spent.modelTokens);
  },
);
