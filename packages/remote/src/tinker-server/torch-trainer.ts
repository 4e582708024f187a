/**
 * The trainer in Python: PyTorch on one GPU, behind the same protocol. It is a process of its own, started with a Python
 * that is checked first, and it ends when this process does.
 */
import { checkOptions, may } from "limbeck-base/base/options";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { parseObject } from "limbeck-base/base/json";
import { isClone, projectFolder } from "limbeck-base/base/own-place";

export interface TorchTrainerOptions {
  /** Folder of the base model: config.json, safetensors, tokenizer. */
  readonly model: string;
  /** Folder of checkpoints; they outlive the server. */
  readonly checkpoints: string;
  /** A Python that has PyTorch. Default: python3. */
  readonly python?: string | undefined;
  /** "cuda", "cuda:1" or "cpu". Default: cuda. */
  readonly device?: string | undefined;
  /** Default: any free one. */
  readonly port?: number | undefined;
  /** Default: a random one. */
  readonly apiKey?: string | undefined;
  /** More words for its command line, such as ["--rows", "64"]. */
  readonly more?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TorchTrainer {
  readonly url: string;
  readonly port: number;
  readonly apiKey: string;
  readonly baseModel: string;
  /** Settles when the process has exited, with its last lines; also after `close`. */
  readonly ended: Promise<string>;
  /** Gone at once, as by a kill of the machine. */
  kill(): void;
  close(): Promise<void>;
}

/** What the server imports; the names that pip knows are the same. */
const PACKAGES = ["torch", "transformers", "safetensors", "aiohttp"] as const;
const CHECK = `
import importlib.util, json, sys
missing = [name for name in ${JSON.stringify(PACKAGES)} if importlib.util.find_spec(name) is None]
cuda = False
if not missing:
    import torch
    cuda = torch.cuda.is_available()
print(json.dumps({"version": sys.version.split()[0], "enough": sys.version_info >= (3, 10), "missing": missing, "cuda": cuda}))
`;
/** Lines of its standard error that are kept to say why it ended. */
const KEPT_LINES = 20;
const CLOSE_MS = 10_000;

/** The folder with the Python package: at the root of a clone, and in this package where it was packed. */
export const TRAINER_FOLDER = isClone
  ? join(projectFolder(), "python", "trainer")
  : fileURLToPath(new URL("../../python/trainer", import.meta.url));

/** Starts it and waits until it listens. */
export async function startTorchTrainer(options: TorchTrainerOptions): Promise<TorchTrainer> {
  checkOptions("startTorchTrainer", options, { port: may.port });
  const { python = "python3", device = "cuda", port = 0, more = [], signal } = options;
  const { apiKey = `tml-${randomBytes(16).toString("hex")}` } = options;
  await checkPython(python, device);
  throwIfAborted(signal);
  const places = ["--model", options.model, "--checkpoints", options.checkpoints, "--port", String(port)];
  const child = spawn(python, ["-m", "limbeck_torch", ...places, "--device", device, "--with-parent", ...more], {
    env: { ...pythonEnvironment(), LIMBECK_TRAINER_KEY: apiKey },
  });
  const lines: string[] = [];
  createInterface(child.stderr).on("line", (line) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
  });
  const gone = new Promise<string>((resolve) => {
    child.once("close", (code, by) => resolve(`${by ?? `exit code ${code}`}${lastWords(lines)}`));
    child.once("error", (error) => resolve(error.message));
  });
  const stop = (): void => void child.kill("SIGTERM");
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const { url, model } = await listening(child, gone);
    return {
      url,
      port: Number(new URL(url).port),
      apiKey,
      baseModel: model,
      ended: gone,
      kill: () => void child.kill("SIGKILL"),
      close: async () => {
        signal?.removeEventListener("abort", stop);
        // Its input ends, and so it does; what hangs is killed.
        child.stdin.end();
        const timer = setTimeout(() => child.kill("SIGKILL"), CLOSE_MS);
        await gone;
        clearTimeout(timer);
      },
    };
  } catch (error) {
    child.kill("SIGKILL");
    throwIfAborted(signal);
    throw error;
  }
}

/**
 * Refuses a Python that is none, is too old, lacks a package, or sees no GPU where one is asked for. `ask` is an argument so that
 * a test can say what is there.
 */
export async function checkPython(python: string, device: string, ask: typeof askPython = askPython): Promise<void> {
  const { version, enough, missing, cuda } = await ask(python);
  if (!enough) {
    throw new EngineError(
      "bad-option",
      `"${python}" is Python ${version}; the trainer needs 3.10 or newer. Name another with --python.`,
    );
  }
  if (missing.length > 0) {
    throw new EngineError(
      "package-missing",
      `"${python}" (Python ${version}) lacks ${missing.join(", ")}. Install with: ${python} -m pip install ${missing.join(" ")}  Or name another Python with --python.`,
      { details: { missing } },
    );
  }
  if (device.startsWith("cuda") && !cuda) {
    throw new EngineError(
      "needs-unmet",
      `PyTorch of "${python}" sees no GPU. Install a build for CUDA (${python} -m pip install torch), look at nvidia-smi, or compute on the CPU with --device cpu.`,
    );
  }
}

interface PythonFacts {
  readonly version: string;
  readonly enough: boolean;
  readonly missing: readonly string[];
  readonly cuda: boolean;
}

async function askPython(python: string): Promise<PythonFacts> {
  const child = spawn(python, ["-c", CHECK], { stdio: ["ignore", "pipe", "pipe"], env: pythonEnvironment() });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const failure = await once(child, "close").then(
    () => undefined,
    (error: unknown) => error,
  );
  const text = Buffer.concat(chunks).toString();
  const facts = parseObject(text.trim().split("\n").at(-1) ?? "");
  if (failure === undefined && Array.isArray(facts?.["missing"])) return facts as unknown as PythonFacts;
  throw new EngineError(
    "bad-option",
    `"${python}" does not run as Python (${failure instanceof Error ? failure.message : text.trim().slice(-200) || "no answer"}). Name one that has PyTorch with --python.`,
    { cause: failure },
  );
}

/** Nothing is written beside the sources. */
function pythonEnvironment(): NodeJS.ProcessEnv {
  const path = [TRAINER_FOLDER, process.env["PYTHONPATH"] ?? ""].filter((place) => place !== "").join(delimiter);
  return { ...process.env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: "1", PYTHONUNBUFFERED: "1" };
}

type Listening = Readonly<Record<"url" | "model", string>>;

async function listening(child: ChildProcessWithoutNullStreams, gone: Promise<string>): Promise<Listening> {
  const ready = new Promise<Listening>((resolve) => {
    createInterface(child.stdout).on("line", (line) => {
      const { event, url, model } = parseObject(line) ?? {};
      if (event === "listening" && typeof url === "string")
        resolve({ url, model: typeof model === "string" ? model : "" });
    });
  });
  const died = gone.then((why): never => {
    throw new EngineError("trainer-died", `The trainer in Python did not start: ${why}.`);
  });
  // Once it listens, its end settles `ended`.
  died.catch(() => undefined);
  return await Promise.race([ready, died]);
}

function lastWords(lines: readonly string[]): string {
  const last = lines.filter((line) => line.trim() !== "").at(-1);
  return last === undefined ? "" : ` (${last.trim().slice(0, 300)})`;
}
