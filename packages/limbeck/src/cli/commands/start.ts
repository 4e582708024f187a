/** `limbeck start`, and `limbeck` without words: a recorded result, what lies here, and what fits it. */
import { basename, relative, resolve, sep } from "node:path";
import { askFirst } from "limbeck-base/base/ask-first";
import { cleanLine } from "limbeck-base/base/clean-text";
import { EngineError } from "limbeck-base/base/errors";
import { requireNew, replaceFile, statIfThere } from "limbeck-base/base/files";
import { input } from "limbeck-base/base/input";
import { plainText } from "limbeck-base/base/plain-file";
import { defineCommand, type Frame } from "../command-of.ts";
import { typedCommand } from "../typed-command.ts";

const MOST_BYTES = 1_000_000;
const LEAVES = "Nothing of this leaves the machine. Your agent's own requests go where they go today.";

export const start = defineCommand({
  group: "start",
  summary: "What Limbeck can do with what lies here; also shown for limbeck without words",
  description:
    "It shows a recorded result, then looks at names and counts only: the dependencies in package.json, how many session files Claude Code, Codex, OpenCode and Gemini keep in their usual folders, and names of exports and result files here. It opens no session, sends no request and writes nothing; for each it prints the two lines or the one command that fit. Works without a network and without native parts.\n" +
    "With --patch FILE it reads that one file of your agent, after asking, and writes limbeck.patch: the recorder around the model or the client. git apply limbeck.patch puts it in.",
  input: {
    patch: input.path("FILE", "Write limbeck.patch for this file of your agent"),
    yes: input.flag("With --patch: read and write without asking"),
  },
  rules: [{ only: ["yes"], with: "patch", say: "belongs to --patch FILE." }],
  examples: ["limbeck", "limbeck start --json", "limbeck start --patch src/agent.ts"],
  line: {
    found: "what lies here, or what is offered where nothing does",
    brings: "what the lines do",
    kind: "code or command",
    lines: "what to write or to type",
    patch: "with --patch: the file that was written",
  },
  run: async ({ patch, yes }, frame) => {
    if (patch !== undefined) return await writePatch(patch, yes, frame);
    const { lookAround } = await import("../start/look-around.ts");
    const { offerFor, otherOffers, RECORDED } = await import("../start/offers.ts");
    const { print, style, io, cwd } = frame;
    print(
      `${style.bold("Limbeck")}  finds out what your agent's good runs have in common, and proves whether it helps.`,
    );
    print();
    print(`${style.bold("Recorded")} ${style.dim(`(${RECORDED.page}, not run on this machine)`)}`);
    print(`  ${RECORDED.what}:`);
    print(`  before                                        ${RECORDED.before}`);
    print(`  with the skill that its good runs had shown   ${style.green(RECORDED.after)}`);
    print();
    const found = (await lookAround({ cwd, env: io.env })).map(offerFor);
    print(`${style.bold("Here")} ${style.dim("(names and counts; nothing was opened but package.json)")}`);
    for (const offer of found.length === 0 ? otherOffers() : found) {
      frame.emit(offer);
      print(`  ${style.cyan(offer.found)}: ${offer.brings}`);
      for (const line of offer.lines) print(`    ${line}`);
      if (offer.kind === "code")
        print(`    ${style.dim(`or: ${typedCommand(["start", "--patch", "FILE"])} writes a patch`)}`);
    }
    print();
    print(LEAVES);
    print(`More: ${typedCommand(["--help"])}`);
    return undefined;
  },
});

async function writePatch(given: string, yes: boolean, frame: Frame<object>): Promise<undefined> {
  const { recordingPatch } = await import("../start/patch.ts");
  const path = resolve(frame.cwd, given);
  const target = resolve(frame.cwd, "limbeck.patch");
  const about = await statIfThere(path);
  if (about?.isFile() !== true || about.size > MOST_BYTES) {
    const why = about?.isFile() === true ? `has more than ${MOST_BYTES} bytes` : "is no file that can be read";
    throw new EngineError("bad-input", `${JSON.stringify(given)} ${why}. Name the source file that makes your model.`);
  }
  await requireNew(target, "limbeck.patch", "it another name, or remove it");
  const question = `Read ${cleanLine(given)} and write limbeck.patch? ${LEAVES} [y/N] `;
  const unasked = `Nobody can be asked here whether ${JSON.stringify(given)} may be read; --yes says so.`;
  if (!yes && !(await askFirst(frame, question, unasked))) return undefined;
  const name = relative(frame.cwd, path).split(sep).join("/");
  await replaceFile(target, recordingPatch(name, await plainText(path), basename(frame.cwd)));
  frame.emit({ patch: target });
  frame.print("limbeck.patch is written. Look at it, then: git apply limbeck.patch && npm install limbeck-recorder");
  frame.note("Limbeck is not published yet: limbeck-recorder comes from the packed tarball (docs/learn/install.md).");
  return undefined;
}
