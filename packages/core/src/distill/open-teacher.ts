/** A teacher by its name and source, with those it is made of. */
import { EngineError } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import type { TaughtModel, Teacher, TeacherKind, TeacherOptions } from "./teacher.ts";

type Kinds = Readonly<Record<string, TeacherKind>>;

/** Opens any teacher of the registry; a list of teachers cannot hold another list. */
export async function openFrom(
  kinds: Kinds,
  name: string,
  model: TaughtModel,
  options: Omit<TeacherOptions, "member">,
): Promise<Teacher> {
  const member = async (text: string): Promise<Teacher> => {
    const at = text.indexOf(":");
    const [kind, source] = at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
    return await createNamed(kinds, kind.trim(), model, { ...options, source });
  };
  return await createNamed(kinds, name, model, { ...options, member });
}

async function createNamed(kinds: Kinds, name: string, model: TaughtModel, options: TeacherOptions): Promise<Teacher> {
  const kind = lookUp<TeacherKind>(kinds, name, "teacher");
  const { source } = kind.options;
  if (source !== undefined && (options.source ?? "").trim() === "") {
    throw new EngineError("bad-option", `The teacher ${name} needs teacherSource: ${source.meaning}.`, {
      details: { teacher: name },
    });
  }
  return await kind.create(model, options);
}

/** Entries between commas, of a list of teachers. */
export function splitList(source: string | null | undefined): string[] {
  return (source ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** Several teachers as one: what they share is opened together, closed together and learns together. */
export async function openMembers(
  { member }: TeacherOptions,
  texts: readonly string[],
): Promise<{ readonly members: readonly Teacher[]; readonly shared: Pick<Teacher, "learned" | "state" | "close"> }> {
  if (member === undefined) {
    throw new EngineError("bad-option", "A list of teachers cannot hold another list; name the teachers themselves.");
  }
  const members: Teacher[] = [];
  const close = async (): Promise<void> => {
    for (const one of members) await one.close?.();
  };
  try {
    for (const text of texts) members.push(await member(text));
    const states = members.flatMap(({ state }) => (state === undefined ? [] : [state]));
    if (states.length > 1) {
      throw new EngineError("bad-option", "Two of the teachers are running averages; a checkpoint keeps one.");
    }
    return {
      members,
      shared: { learned: () => members.forEach((one) => one.learned()), state: states[0], close },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
