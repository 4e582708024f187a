/** Who writes, by the words of `--ask`: the environment's chat model, the bundled writer, a model of this machine, or the policy itself. */
import { join, resolve } from "node:path";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { isThere } from "limbeck-base/base/files";
import { packageFolder } from "limbeck-base/base/package-folder";
import type { SpeakingPolicy } from "limbeck-policy/policy/chat/policy-endpoint";
import { filePackage } from "limbeck-policy/policy/starts";
import type { Writer } from "../skill.ts";
import { briefQuestion } from "./brief.ts";
import { readBriefAnswer } from "./brief-answer.ts";
import { createWriter, type WriterParts } from "./writer.ts";

/** Forms of `--ask`, as help and errors name them. */
export const ASK_FORMS = "chat, policy, bundled or local:DIR";

const LOCAL = "local:";
/** The writer that was trained on what Limbeck's worlds show; the main package has no room for it. */
const BUNDLED = filePackage("limbeck-writer-model");
/** In the folder of a model that was made to write, and knows brief questions alone. */
const BRIEF_MARK = "writes-briefly";

export type WriterPlace = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: the process's own. */
  readonly cwd?: string;
};

/**
 * The writer of these words, but for "policy", which only those have who hold one (`createPolicyWriter`). Answers are
 * remembered, so that equal questions are paid once. Close it.
 */
export async function openWriter(ask: string, { environment, cwd = "." }: WriterPlace): Promise<Writer> {
  if (ask === "chat") {
    const { chatServerFrom } = await import("limbeck-policy/policy/chat/server");
    const { openChatModel } = await import("limbeck-policy/policy/chat/chat-model");
    const retry = { retries: 1 };
    return createWriter({ chat: openChatModel(chatServerFrom(environment), { cache: true, retry }) });
  }
  if (ask === "bundled") return await openBundledWriter(resolve(cwd));
  if (ask.startsWith(LOCAL) && ask.length > LOCAL.length)
    return await openLocalWriter(resolve(cwd, ask.slice(LOCAL.length)));
  if (ask === "policy") {
    throw new EngineError(
      "needs-unmet",
      'Nobody here is "policy": only a training has a policy that can write. Name its folder (local:DIR), or a chat model (chat).',
    );
  }
  throw new EngineError("bad-option", `Nobody to ask is called "${ask}"; there are ${ASK_FORMS}.`, {
    details: { ask },
  });
}

/** A small writer (research/writer) knows brief questions alone, and says the same to the same one. */
export async function mannerOf(folder: string): Promise<WritingManner> {
  return (await isThere(join(folder, BRIEF_MARK))) ? BRIEF_MANNER : {};
}

const BRIEF_MANNER: WritingManner = {
  questionOf: (writing) => (writing.brief === undefined ? undefined : briefQuestion(writing)),
  answerOf: readBriefAnswer,
  attempts: 1,
};

/** The id of a writer that is not there. */
export const ABSENT = "absent";

/** Templates write, and are counted. */
function absentWriter(why: string): Writer {
  return {
    id: ABSENT,
    write: async ({ template }, { signal } = {}) => {
      throwIfAborted(signal);
      const value = await template?.();
      return { value, by: value === undefined ? "nobody" : "template", why, usage: {} };
    },
  };
}

/** The writer that comes as a package; where it is not installed, templates write. */
export async function openBundledWriter(project: string, ownManifest?: string): Promise<Writer> {
  const folder = packageFolder(BUNDLED, project, ownManifest);
  return folder === undefined ? absentWriter(`${BUNDLED.name} is not installed`) : await openLocalWriter(folder);
}

/** A folder or GGUF file, opened for writing alone. */
async function openLocalWriter(folder: string): Promise<Writer> {
  const { createChatDialect } = await import("limbeck-policy/policy/local/chat-dialect");
  const { openModel, requireTokenizer } = await import("limbeck-policy/policy/local/open-model");
  const model = await openModel(folder, { weights: "auto" });
  try {
    const dialect = await createChatDialect(requireTokenizer(model));
    return {
      ...(await createPolicyWriter({ policy: () => model, dialect }, await mannerOf(folder))),
      close: async () => await model.close(),
    };
  } catch (error) {
    await model.close();
    throw error;
  }
}

/** A machine that is busy is no reason to write by template: the same training must come out the same. */
const LONGEST_MS = 600_000;
/** Writings in a row that a model may spoil before it is left alone: each costs as much as many episodes. */
const USELESS_AFTER = 8;

/** How it is asked. */
export interface WritingManner {
  /** Default: what is wanted, then the material, quoted. */
  readonly questionOf?: WriterParts["questionOf"];
  /** Default: an answer says what it says. */
  readonly answerOf?: WriterParts["answerOf"];
  /** Answers asked for before the template writes. Default: 2. */
  readonly attempts?: number;
}

/**
 * A policy that writes, a local one or one on a trainer, by the contract of every writer.
 *
 * @example
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
 *
 * const policy = createScriptedPolicy({ script: () => "Because it rained." });
 * const writer = await createPolicyWriter({ policy: () => policy, dialect: plainDialect(policy.tokenizer) });
 * const writing = { kind: "reason", wanted: "Why?", material: [], read: (text: string) => text } as const;
 * console.log((await writer.write(writing)).value); // Because it rained.
 */
export async function createPolicyWriter(source: SpeakingPolicy, manner: WritingManner = {}): Promise<Writer> {
  const { openChatModel } = await import("limbeck-policy/policy/chat/chat-model");
  const { concurrency = 64 } = source.policy();
  const chat = openChatModel(source, { cache: true, concurrency, timeoutMs: LONGEST_MS, retry: { retries: 1 } });
  return createWriter({ chat, timeoutMs: LONGEST_MS, uselessAfter: USELESS_AFTER, ...manner });
}
