/**
 * `npx tsx research/bench/import-sessions.ts [GIGABYTES]`: makes a folder of sessions, imports it with the command line in a process of its
 * own, and says what memory that process took, tenth by tenth. Too large for `npm run bench`. Linux: the kernel keeps the peak.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeSessionFolder } from "./session-folder.ts";

const EVERY_MS = 2_000;
const gigabytes = Number(process.argv[2] ?? 5);
const folder = await mkdtemp(join(process.argv[3] ?? tmpdir(), "limbeck-sessions-"));
try {
  const sessions = join(folder, "sessions");
  const made = await writeSessionFolder(sessions, gigabytes * 1e9);
  process.stderr.write(`${made.files} files, ${made.bytes} bytes\n`);
  const began = performance.now();
  const command = ["packages/limbeck/src/cli/bin.ts", "import", "--from", "claude-code", sessions, "--json"];
  const child = spawn(process.execPath, [...process.execArgv, ...command, "--store", join(folder, "store")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said = `${said}${text}`.slice(-4_000)));
  const resident: number[] = [];
  let peak = 0;
  const look = async (): Promise<void> => {
    const text = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
    const mib = (field: string): number => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1024;
    if (mib("VmHWM") === 0) return;
    resident.push(mib("VmRSS"));
    peak = Math.max(peak, mib("VmHWM"));
    // As it goes, so that a run that is cut off has told something.
    if (resident.length % 30 === 0) {
      const seconds = Math.round((performance.now() - began) / 1_000);
      process.stderr.write(`${seconds} s: ${Math.round(resident.at(-1) ?? 0)} MiB, peak ${Math.round(peak)} MiB\n`);
    }
  };
  const timer = setInterval(() => void look(), EVERY_MS);
  const [code] = (await once(child, "close")) as [number];
  clearInterval(timer);
  const tenths = Array.from({ length: 10 }, (_, tenth) => {
    const part = resident.slice(
      Math.floor((tenth * resident.length) / 10),
      Math.floor(((tenth + 1) * resident.length) / 10),
    );
    return Math.round(Math.max(0, ...part));
  });
  const end: unknown = JSON.parse(said.trim().split("\n").at(-1) ?? "null");
  const took = Math.round((performance.now() - began) / 1000);
  process.stdout.write(
    `${JSON.stringify({ code, ...made, seconds: took, peakMib: Math.round(peak), largestMibByTenth: tenths, end })}\n`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
