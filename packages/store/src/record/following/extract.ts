/** Skills from stored trajectories into the library. */
import { join } from "node:path";
import { lookUp } from "limbeck-base/base/registry";
import { replaceFile } from "limbeck-base/base/files";
import { withoutUndefined } from "limbeck-base/base/fields";
import { addSkills } from "limbeck-core/skill/extract/add-skills";
import { buildProtocol, protocolText, type Protocol, storedProtocol } from "limbeck-core/skill/extract/protocol";
import { extractSkills } from "limbeck-core/skill/extract/extract";
import { restsOn } from "limbeck-core/skill/extract/rests-on";
import type { Writer } from "limbeck-core/skill/skill";
import { givenAct, givenLibrary } from "limbeck-core/skill/library/given-library";
import type { NewSkill } from "limbeck-core/skill/library/library";
import { openAnalyst } from "limbeck-core/skill/open-analyst";
import { givenWriter } from "limbeck-core/skill/writer/given-writer";
import { createWriterAnalyst } from "limbeck-core/skill/writer/writer-analyst";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { countedWriter } from "limbeck-core/update/context";
import type { ExtractContext, ExtractInput } from "../skills.inputs.ts";
import type { Evidence } from "../summary/summary.ts";
import { withShownOutcomes } from "../summary/with-outcomes.ts";
import { storedTrajectories } from "./stored-trajectories.ts";

type Added = Awaited<ReturnType<typeof addSkills>>;

/** What was found, in the library unless it is a dry run. */
export async function extractStored(given: ExtractInput, context: ExtractContext): Promise<{ readonly skills: Added }> {
  const writer = await givenWriter(given.ask, context);
  try {
    return { skills: await extractBy(given, context, writer) };
  } finally {
    await writer?.close?.();
  }
}

async function extractBy(given: ExtractInput, context: ExtractContext, writer: Writer | undefined): Promise<Added> {
  const started = context.now();
  const { analyst: asked = "statistics", least: leastTasks, dryRun } = given;
  const library = givenLibrary(given, context);
  const written: Record<string, number> = {};
  const analyst =
    writer === undefined
      ? await openAnalyst(asked, context.environment, { concurrency: 8 })
      : createWriterAnalyst(countedWriter(writer, written));
  const { trajectories: stored, runs } = await storedTrajectories(given, context);
  const { trajectories } = withShownOutcomes(stored, givenSignals(given));
  const { skills: found, ...counts } = await extractSkills(trajectories, {
    analyst,
    ...withoutUndefined({ leastTasks }),
    runOf: ({ id }) => runs.get(id),
    signal: context.signal,
  });
  const skills = await withGround(found, trajectories);
  const added: Added = dryRun
    ? skills.map((skill) => ({ name: skill.name, outcome: "added", skill }))
    : await addSkills(library, skills, { action: "extracted", ...givenAct(given, context) });
  if (!dryRun) await library.list();
  const protocol = given.protocol && !dryRun ? await writeProtocol(library.root, trajectories) : undefined;
  for (const { name, outcome, skill } of added) {
    const { evidence, ...rest } = skill;
    context.emit({ event: "skill", ...rest, links: evidence.length, name, outcome });
  }
  const { "writer/model": model = 0, "writer/template": template = 0, "writer/nobody": nobody = 0 } = written;
  context.emit({
    event: "end",
    ...counts,
    skills: skills.length,
    ...(model + template + nobody === 0 ? {} : { written: { model, template, nobody } }),
    ...(protocol === undefined ? {} : { protocol: { round: protocol.round, branches: protocol.branches.length } }),
    durationMs: Math.round(context.now() - started),
  });
  return added;
}

const SIGNALS: Readonly<Record<string, readonly Evidence[]>> = {
  tests: ["tests"],
  commits: ["commits"],
  words: ["next message"],
  none: [],
};

/** Evidence of how a session ended where it has no outcome. */
export function givenSignals({ signals = "tests,commits" }: Pick<ExtractInput, "signals">): Evidence[] {
  return signals.split(",").flatMap((word) => lookUp(SIGNALS, word.trim(), "signal"));
}

/** With what each rests on, as it is now. */
export async function withGround(
  skills: readonly NewSkill[],
  trajectories: readonly Trajectory[],
): Promise<NewSkill[]> {
  const byId = new Map(trajectories.map((trajectory) => [trajectory.id, trajectory]));
  const at = new Date().toISOString();
  return await Promise.all(
    skills.map(async (skill) => {
      const evidence = skill.evidence.flatMap(({ trajectory }) => byId.get(trajectory) ?? []);
      const ground = await restsOn(skill, evidence, at);
      return ground === undefined ? skill : { ...skill, restsOn: ground };
    }),
  );
}

async function writeProtocol(root: string, trajectories: readonly Trajectory[]): Promise<Protocol> {
  const before = await storedProtocol(root);
  const protocol = buildProtocol(trajectories, before);
  await replaceFile(join(root, "protocol.json"), `${JSON.stringify(protocol, null, 2)}\n`);
  await replaceFile(join(root, "PROTOCOL.md"), protocolText(protocol));
  return protocol;
}
