/** Who reflects and corrects where a writer was given: a text model, with the demonstrator's words where it fails. */
import { parseObject } from "../base/json.ts";
import { sectionTemplates } from "../skill/templates.ts";
import type { Writer } from "../skill/writer/contract.ts";
import type { Step } from "../trajectory/trajectory.ts";
import type { Corrector, Finished, Reflection, Reflector } from "../walk/judge.ts";

export const LONGEST_SEEN = 600;
const LONGEST_SAID = 400;

/** The episode as lines: the goal, then what was seen and done. */
function recordOf({ task, steps, trajectory }: Finished): string[] {
  const cut = (text: string): string => (text.length <= LONGEST_SEEN ? text : `${text.slice(0, LONGEST_SEEN)}…`);
  const line = ({ index, observation, action }: Step): string =>
    `step ${index}: saw ${JSON.stringify(cut(observation))}, did ${JSON.stringify(cut(action))}`;
  return [`task: ${cut(task.goal)}`, ...steps.map(line), `in the end: ${cut(trajectory.closing?.observation ?? "")}`];
}

/** One line of bounded length, or none. */
export function sentence(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line === "" || line.length > LONGEST_SAID ? undefined : line;
}

function jsonIn(text: string): Record<string, unknown> | undefined {
  const found = /\{[\s\S]*\}/.exec(text)?.[0];
  return found === undefined ? undefined : parseObject(found);
}

/** Goes back to the step that the writer names, with what it says. */
export function writtenReflector(writer: Writer, template: Reflector | undefined): Reflector {
  return async (finished, options) => {
    const indices = new Set(finished.steps.map(({ index }) => index));
    const { value, usage } = await writer.write<Reflection>(
      {
        kind: "reflection",
        wanted:
          'An agent failed at a task. Find the first step that was wrong and say in one short sentence what to do there instead. Answer with one JSON object and nothing else: {"step": 0, "guidance": "…"}.',
        material: recordOf(finished),
        goal: finished.task.goal,
        read: (text) => {
          const { step, guidance } = jsonIn(text) ?? {};
          const said = sentence(guidance);
          if (typeof step !== "number" || !indices.has(step) || said === undefined) return undefined;
          return { step, guidance: sectionTemplates.compact.step(said) };
        },
        textsOf: ({ guidance }) => [guidance],
        template: () => template?.(finished, options),
      },
      options,
    );
    return value === undefined || usage === undefined ? value : { ...value, usage };
  };
}

/** Only where nobody can show it: what a demonstrator does is known to be right. */
export function writtenCorrector(writer: Writer): Corrector {
  return async (finished, step, options) => {
    const until = finished.steps.filter(({ index }) => index <= step);
    const { value } = await writer.write<string>(
      {
        kind: "correction",
        wanted: `Say what the agent should have done at step ${step}, as one action in the same words and form as its other actions. Answer with the action alone.`,
        material: recordOf({ ...finished, steps: until }),
        goal: finished.task.goal,
        read: (text) => sentence(text.trim().split("\n")[0]),
        textsOf: (action) => [action],
      },
      options,
    );
    return value === undefined ? undefined : { action: value };
  };
}
