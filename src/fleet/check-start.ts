/** What a worker was told of is tried before it takes a job: a wrong key or folder would cost every job an attempt. */
import { constants } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { EngineError, errorData } from "../base/index.ts";

export interface StartOptions {
  readonly cache: string;
  readonly store?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Faults that only a person can mend are thrown; a server that is not there yet is told. */
export async function checkStart(options: StartOptions, onProblem: (message: string) => void): Promise<void> {
  const { cache, env = {} } = options;
  await writable(cache);
  if (env["LIMBECK_CHAT_BASE_URL"] !== undefined || env["LIMBECK_CHAT_MODEL"] !== undefined) {
    const { chatServerFrom } = await import("../policy/chat/index.ts");
    chatServerFrom(env);
  }
  const url = env["TINKER_BASE_URL"];
  if (url === undefined || url === "") return;
  const { connectTinker } = await import("../policy/tinker/index.ts");
  const apiKey = env["TINKER_API_KEY"];
  try {
    (await connectTinker({ url, ...(apiKey === undefined ? {} : { apiKey }) })).close();
  } catch (error) {
    const { code, message } = errorData(error);
    if (code === "trainer-unreachable" || code === "trainer-failed") onProblem(message);
    else throw error;
  }
}

async function writable(cache: string): Promise<void> {
  try {
    await mkdir(cache, { recursive: true });
    await access(cache, constants.W_OK);
    if (!(await stat(cache)).isDirectory()) throw new Error("not a folder");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError(
      "not-writable",
      `The worker cannot keep versions of policies in ${cache} (${why}). Give another --cache DIR.`,
      { details: { cache }, cause },
    );
  }
}
