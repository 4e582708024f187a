/** The experts of a file: a world in which the policy can ask them. */
import { z } from "zod";
import { lookUp } from "limbeck-base/base/registry";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { Demonstrator } from "../env/expert.ts";
import type { Env } from "../env/env.ts";
import type { World } from "../env/world.ts";
import { createDemonstratorExpert, createTextExpert, type Expert } from "./expert.ts";
import { withExperts } from "./with-experts.ts";
import { familyOf } from "limbeck-base/trajectory/family";
import { givenData } from "limbeck-base/base/given-file";
import type { Context } from "limbeck-base/base/operation";

const called = { name: z.string(), description: z.string(), price: z.number().nonnegative() };
const share = z.number().min(0).max(1);

const scriptSchema = z.strictObject({
  ...called,
  /** A scripted agent of the world, and who acts where it slips or does not know the task. */
  demonstrator: z.string(),
  otherwise: z.string().optional(),
  /** Families of tasks that it knows. Default: all. */
  families: z.array(z.string()).optional(),
  slips: share.optional(),
});
const chatSchema = z.strictObject({
  ...called,
  /** What stands in its prompt. */
  skill: z.string(),
  chat: z.literal(true),
  /** Another model of the same server. */
  model: z.string().optional(),
  answerTokens: z.int().positive().optional(),
});
const fileSchema = z.strictObject({
  costWeight: z.number().nonnegative().optional(),
  formatPenalty: z.number().nonnegative().optional(),
  role: z.enum(["acts", "advises"]).optional(),
  turns: z.int().positive().nullable().optional(),
  mostCalls: z.int().positive().optional(),
  actsItself: z.boolean().optional(),
  remind: z.boolean().optional(),
  experts: z.array(z.union([scriptSchema, chatSchema])).min(1),
});

const FILE = { schema: fileSchema, shape: "a list of experts" };
type Script = z.infer<typeof scriptSchema>;

export interface OrchestratedWorld {
  readonly env: Env;
  /** How the experts were asked for, to be stored with the run; empty where there are none. */
  readonly name: string;
}

export async function withGivenExperts(
  place: Pick<Context, "cwd" | "environment">,
  file: string | undefined,
  world: World,
  env: Env,
): Promise<OrchestratedWorld> {
  if (file === undefined) return { env, name: "" };
  const { experts: listed, ...options } = await givenData(place, file, "the experts", FILE);
  const experts = await Promise.all(
    listed.map(async (one): Promise<Expert> => {
      if ("demonstrator" in one) return scriptedExpert(one, world, env.id);
      const { chatServerFrom } = await import("limbeck-policy/policy/chat/server");
      const { createChatPolicy } = await import("limbeck-policy/policy/chat/chat-policy");
      const { openChatModel } = await import("limbeck-policy/policy/chat/chat-model");
      const server = chatServerFrom(place.environment);
      const policy = createChatPolicy(openChatModel({ ...server, model: one.model ?? server.model }));
      const { name, description, price, skill, answerTokens } = one;
      return createTextExpert({ name, description, price, skill, policy, ...withoutUndefined({ answerTokens }) });
    }),
  );
  return {
    env: withExperts(env, { experts, ...withoutUndefined(options) }),
    name: JSON.stringify({ ...options, experts: listed }),
  };
}

function scriptedExpert(
  { demonstrator, otherwise, families, slips, ...one }: Script,
  world: World,
  id: string,
): Expert {
  const script = (name: string): Demonstrator =>
    lookUp<Demonstrator>(world.demonstrators ?? {}, name, `scripted agent of ${id}`);
  return createDemonstratorExpert({
    ...one,
    skill: families?.join(", ") ?? "every task",
    demonstrator: script(demonstrator),
    ...(otherwise === undefined ? {} : { otherwise: script(otherwise) }),
    ...(families === undefined ? {} : { knows: (task) => families.includes(familyOf(task)) }),
    ...withoutUndefined({ slips }),
  });
}
