/** Sessions that another process writes while they are followed: in pieces, half lines and damaged files among them. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { COMMAND_LINE } from "../../../../../test/support/command-line.ts";
import { limbeck, type FakeOptions, type Ran } from "../../../../../test/support/fake-io.ts";
import { secretCorpus } from "../../../../../test/support/secrets.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { EXIT } from "../exit-code.ts";

const temporaryFolder = temporaryFolders();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

/** Appends what it is told to, as an agent does that is at work. */
const AGENT = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { file, text } = JSON.parse(line);
  require("node:fs").mkdirSync(require("node:path").dirname(file), { recursive: true });
  require("node:fs").appendFileSync(file, text);
});`;

function startAgent(): (file: string, text: string) => void {
  const child = spawn(process.execPath, ["-e", AGENT], { stdio: ["pipe", "inherit", "inherit"] });
  children.push(child);
  return (file, text) => void child.stdin.write(`${JSON.stringify({ file, text })}\n`);
}

/** A session that generates code first, then tests it; the test passes. */
function sessionLines(name: string, cwd: string, note = ""): string[] {
  const line = (number: number, type: string, content: unknown): string =>
    `${JSON.stringify({
      type,
      uuid: `${name}-${number}`,
      parentUuid: number === 1 ? null : `${name}-${number - 1}`,
      isSidechain: false,
      sessionId: `session-${name}`,
      cwd,
      version: "2.1.197",
      timestamp: `2026-11-16T10:00:0${number}.000Z`,
      message: { role: type, content, ...(type === "assistant" ? { id: `${name}-${number}`, model: "m" } : {}) },
    })}\n`;
  const call = (id: string, command: string): object[] => [{ type: "tool_use", id, name: "Bash", input: { command } }];
  const result = (id: string, content: string): object[] => [{ type: "tool_result", tool_use_id: id, content }];
  return [
    line(1, "user", `Change the field ${name} of the schema and test it.`),
    line(2, "assistant", call("a", "node scripts/codegen.mjs")),
    line(3, "user", result("a", `generated ${note}`)),
    line(4, "assistant", call("b", "node test/schema.test.mjs")),
    line(5, "user", result("b", "3 tests passed")),
    line(6, "assistant", [{ type: "text", text: "Done." }]),
  ];
}

type Line = Record<string, unknown>;

/** Starts it and hears its lines; `heard` waits for one, also among those that were said. */
function startFollowing(words: readonly string[], options: FakeOptions) {
  const stop = new AbortController();
  const said: Line[] = [];
  const waiting = new Set<() => void>();
  const onOut = (text: string): void => {
    said.push(JSON.parse(text) as Line);
    for (const look of waiting) look();
  };
  const ended = limbeck([...words, "--json"], { ...options, onOut, signal: stop.signal });
  const heard = async (wanted: (line: Line) => boolean): Promise<Line> =>
    await new Promise((resolve, reject) => {
      const look = (): void => {
        const found = said.find(wanted);
        if (found !== undefined) resolve(found);
      };
      waiting.add(look);
      look();
      void ended.then(({ out, err }) => reject(new Error(`It ended before: ${out}${err}`)));
    });
  return {
    said,
    heard,
    stop: async (): Promise<Ran> => {
      stop.abort();
      return await ended;
    },
  };
}

async function place() {
  const home = await temporaryFolder();
  const projects = join(home, ".claude", "projects");
  await mkdir(projects, { recursive: true });
  await mkdir(join(home, "work"));
  const env = { HOME: home, LIMBECK_STORE: join(home, "store") };
  return { home, projects, options: { cwd: join(home, "work"), env } };
}

const WORDS = ["skills", "follow", "--yes", "--settle", "30ms", "--every", "1h"];

test(
  "sessions of another process are read as they grow, what they show is proposed, and nothing is installed",
  { timeout: 300_000 },
  async () => {
    const { home, projects, options } = await place();
    const write = startAgent();
    const [one, two] = [join(projects, "-a", "one.jsonl"), join(projects, "-b", "two.jsonl")];
    const secret = secretCorpus[2]?.secret ?? "";
    const first = sessionLines("size", options.cwd, `with ${secret}`);
    const cut = first[3] ?? "";
    const follower = startFollowing(WORDS, options);
    await follower.heard(({ event }) => event === "following");

    // A new folder, and a line that is half there.
    write(one, first.slice(0, 3).join("") + cut.slice(0, 40));
    expect(await follower.heard(({ event }) => event === "read")).toMatchObject({ from: "claude-code", steps: 1 });
    expect(await follower.heard(({ event }) => event === "problem")).toMatchObject({ path: one });
    write(one, cut.slice(40) + first.slice(4).join(""));
    await follower.heard(({ event, steps }) => event === "read" && steps === 2);

    // Bytes of anything, beside it.
    write(join(projects, "-a", "broken.jsonl"), '\u0000{"type":\n[[[[\n\u00ff');
    await follower.heard(({ event, path }) => event === "problem" && String(path).includes("broken"));

    write(two, sessionLines("colour", options.cwd).join(""));
    const proposal = await follower.heard(({ event }) => event === "proposal");
    expect(proposal).toMatchObject({ outcome: "added", text: expect.stringContaining("codegen") as string });
    expect(proposal["evidence"]).toHaveLength(2);
    expect(proposal["diff"]).toContain(join(".claude", "skills"));
    const name = String(proposal["name"]);

    const { code, objects } = await follower.stop();
    expect(code).toBe(EXIT.interrupted);
    expect(objects().at(-1)).toMatchObject({ event: "end", steps: 6, proposed: 1, older: 0 });

    // Proposed, and nowhere else.
    expect(await readdir(options.cwd)).toEqual(["skills"]);
    const proposals = join(options.cwd, "skills", "proposals");
    expect(await readFile(join(proposals, name, "install.diff"), "utf8")).toContain(`+name: "${name}"`);
    expect((await limbeck(["skills", "list", "--json"], options)).out).not.toContain(name);
    expect(await readdir(join(home, ".claude"))).toEqual(["projects"]);
    // The session that came in pieces is one session with all its steps, and its key is gone.
    const stored = await limbeck(["sql", "select sum(step_count) steps from trajectories", "--json"], options);
    expect(stored.objects()[0]).toMatchObject({ steps: 6 });
    const seen = await limbeck(["sql", "select observation from steps", "--json"], options);
    expect(seen.out).toContain("generated with [redacted key]");
    expect(seen.out + (await readFile(join(proposals, name, "SKILL.md"), "utf8"))).not.toContain(secret);

    // A person takes it; it is a candidate then, and is not proposed again.
    const accepted = await limbeck(["skills", "accept", name, "--by", "ann", "--json"], options);
    expect(accepted.objects()[0]).toMatchObject({ name, outcome: "added", status: "candidate" });
    expect((await limbeck(["skills", "show", name, "--json"], options)).objects()[0]).toMatchObject({ name });
    const again = await limbeck(["skills", "follow", "--once", "--yes", "--json"], options);
    expect(again.objects().at(-1)).toMatchObject({ event: "end", files: 0, steps: 0, proposed: 0 });
  },
);

test("it goes on where it was: only what grew while it was away is read", { timeout: 300_000 }, async () => {
  const { projects, options } = await place();
  await mkdir(join(projects, "-a"));
  const lines = sessionLines("size", options.cwd);
  await writeFile(join(projects, "-a", "one.jsonl"), lines.slice(0, 3).join(""));
  await writeFile(join(projects, "-a", "two.jsonl"), sessionLines("colour", options.cwd).join(""));
  const once = async (...more: readonly string[]): Promise<Line[]> =>
    (await limbeck(["skills", "follow", "--once", "--yes", "--json", ...more], options)).objects();
  expect((await once()).at(-1)).toMatchObject({ files: 2, steps: 4, proposed: 0 });
  expect((await once()).at(-1)).toMatchObject({ files: 0, steps: 0 });
  await writeFile(join(projects, "-a", "one.jsonl"), lines.join(""));
  const grown = await once();
  expect(grown.at(-1)).toMatchObject({ files: 1, steps: 2, proposed: 1 });
  const name = String(grown.find(({ event }) => event === "proposal")?.["name"]);
  // One that was turned down stays so, also with more evidence.
  await limbeck(["skills", "retire", name, "--library", "skills/proposals", "--by", "ann"], options);
  await writeFile(join(projects, "-a", "three.jsonl"), sessionLines("shape", options.cwd).join(""));
  const after = await once();
  expect(after.at(-1)).toMatchObject({ files: 1, steps: 3, proposed: 0 });
  expect(after.filter(({ event }) => event === "proposal")).toEqual([]);
});

test("it asks first, and says what is wrong with what it is given", async () => {
  const { home, projects, options } = await place();
  await mkdir(join(projects, "-a"));
  await writeFile(join(projects, "-a", "one.jsonl"), sessionLines("size", options.cwd).join(""));
  const alone = await limbeck(["skills", "follow", "--once"], options);
  expect([alone.code, alone.err.replaceAll(/\s+/g, " ")]).toEqual([
    2,
    expect.stringContaining("Claude Code: 1 session file"),
  ]);
  expect((await limbeck(["skills", "follow", "--once"], { ...options, answer: "n" })).out).toBe("Nothing was read.\n");
  expect(await readdir(home)).not.toContain("store");
  const said = async (...words: readonly string[]): Promise<string> =>
    (await limbeck(["skills", "follow", ...words], options)).err.replaceAll(/\s+/g, " ");
  expect(await said("--from", "codex")).toContain("no folder of sessions to follow");
  expect(await said("--from", "codecs")).toContain("codex");
  expect(await said("somewhere")).toContain("--from PROGRAM");
  expect(await said("x", "--from", "langfuse")).toContain("limbeck import --from langfuse");
  expect(await said("--settle", "soon")).toContain("such as 90s");
});

/** The command line in a process of its own; `heard` is called with everything that it says. */
function startProcess(
  options: { readonly cwd: string; readonly env: Record<string, string> },
  heard: (out: string) => void,
) {
  const child = spawn(process.execPath, [COMMAND_LINE, ...WORDS, "--json"], {
    cwd: options.cwd,
    env: { PATH: process.env["PATH"], ...options.env },
  });
  children.push(child);
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => heard((out += text)));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, out, err }));
  return { child, ended };
}

test(
  "a second process is refused while one follows; the lock of one that was killed is taken over; Ctrl-C lets go of it",
  { timeout: 300_000 },
  async () => {
    const { home, projects, options } = await place();
    await mkdir(join(projects, "-a"));
    await writeFile(join(projects, "-a", "one.jsonl"), sessionLines("size", options.cwd).join(""));
    const lock = join(home, "store", "followed", "writer.lock");
    const until = (event: string) => {
      let tell = (): void => {};
      const reached = new Promise<void>((resolve) => (tell = resolve));
      const started = startProcess(options, (out) => {
        if (out.includes(`"${event}"`)) tell();
      });
      return { ...started, reached };
    };
    const first = until("read");
    await first.reached;
    const { pid } = first.child;
    expect(JSON.parse(await readFile(lock, "utf8"))).toMatchObject({ pid });

    const refused = await startProcess(options, () => {}).ended;
    expect(refused.code).toBe(1);
    const said = refused.err.replaceAll(/\s+/g, " ");
    expect(said).toContain("followed");
    expect(said).toContain("run-busy");
    expect(said).toContain(`process ${pid}`);
    // Its end has not taken the lock of the first.
    expect(JSON.parse(await readFile(lock, "utf8"))).toMatchObject({ pid });

    first.child.kill("SIGKILL");
    await first.ended;
    const next = until("following");
    await next.reached;
    expect(JSON.parse(await readFile(lock, "utf8"))).toMatchObject({ pid: next.child.pid });
    next.child.kill("SIGINT");
    const { code, out } = await next.ended;
    expect([code, JSON.parse(out.trim().split("\n").at(-1) ?? "")]).toEqual([
      EXIT.interrupted,
      expect.objectContaining({ event: "end" }),
    ]);
    expect(await readdir(join(home, "store"))).toEqual(["followed"]);
    // What the killed one had read and not stored is read again, and nothing is there twice.
    await limbeck(["skills", "follow", "--once", "--yes", "--json"], options);
    const stored = await limbeck(
      ["sql", "select count(*) n, sum(step_count) steps from trajectories", "--json"],
      options,
    );
    expect(stored.objects()[0]).toEqual({ n: 1, steps: 3 });
  },
);
