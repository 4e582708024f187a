/** A folder of made-up sessions of a coding agent, as large as one likes: what a long import is measured on. */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createRng, type Rng } from "../../packages/base/src/base/rng.ts";

/** Sizes of sessions in bytes: most are short, some went on for days. */
const SIZES = [60_000, 250_000, 250_000, 900_000, 900_000, 3_000_000, 8_000_000, 40_000_000] as const;
const FILES_EACH = 40;
const WORDS =
  "the test of this file fails when a list is empty so read parse and its caller then change what it gives back const return import export function await number string index path error value line name".split(
    " ",
  );
const TOOLS = ["Bash", "Read", "Edit", "Grep"] as const;

export interface MadeFolder {
  readonly files: number;
  readonly bytes: number;
}

/** Lines in the form of Claude Code, in folders of projects. The same seed gives the same files. */
export async function writeSessionFolder(folder: string, bytes: number, seed = "sessions"): Promise<MadeFolder> {
  const rng = createRng(seed);
  let [files, written] = [0, 0];
  while (written < bytes) {
    const project = join(folder, `-home-ann-project-${Math.floor(files / FILES_EACH)}`);
    await mkdir(project, { recursive: true });
    const size = Math.min(SIZES[rng.int(SIZES.length)] ?? 0, bytes - written);
    written += await writeSession(project, `session-${files}`, size, rng);
    files += 1;
  }
  return { files, bytes: written };
}

async function writeSession(project: string, id: string, size: number, rng: Rng): Promise<number> {
  const file = createWriteStream(join(project, `${id}.jsonl`));
  let [written, turn] = [0, 0];
  let parent: string | null = null;
  const put = async (type: string, message: object): Promise<number> => {
    const uuid = `${id}-${turn}`;
    turn += 1;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + turn * 1_000).toISOString();
    const about = { isSidechain: false, cwd: "/home/ann/project", sessionId: id, version: "2.1.197" };
    const line = `${JSON.stringify({ parentUuid: parent, ...about, type, message, uuid, timestamp })}\n`;
    parent = uuid;
    if (!file.write(line)) await once(file, "drain");
    return Buffer.byteLength(line);
  };
  written += await put("user", { role: "user", content: `Mend the test ${rng.int(500)} of this project, please.` });
  do {
    const call = `${id}-call-${turn}`;
    const input = { command: `npm test -- ${words(rng, 4)}` };
    const usage = { input_tokens: 900, output_tokens: 60, cache_read_input_tokens: 12_000 };
    const content = [
      { type: "text", text: words(rng, 30) },
      { type: "tool_use", id: call, name: TOOLS[rng.int(TOOLS.length)], input },
    ];
    written += await put("assistant", { id: `reply-${call}`, role: "assistant", model: "model-4", content, usage });
    // What tools print is most of a session.
    const result = words(rng, 100 + rng.int(890));
    written += await put("user", {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: call, content: result }],
    });
  } while (written < size);
  file.end();
  await once(file, "close");
  return written;
}

/** A piece of one long text: drawing each word anew would take longer than the import. */
function words(rng: Rng, count: number): string {
  const start = rng.int(POOL.length - 1_000);
  return POOL.slice(start, start + count).join(" ");
}

const POOL = ((rng: Rng) => Array.from({ length: 100_000 }, () => WORDS[rng.int(WORDS.length)]))(createRng("words"));
