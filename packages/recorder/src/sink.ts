/** Where lines go: a file or an HTTP address. A sink may fail; the queue in front of it tries again. */
export interface Sink {
  /** Writes whole lines, in order; all of them or an error. */
  write(lines: readonly string[]): Promise<void>;
}

/**
 * A file of JSON lines in a folder, one for each process. `limbeck import FOLDER` reads it. The folder is made when the
 * first line comes; only the owner may read the file.
 */
export function fileSink(folder: string): Sink {
  let path: Promise<string> | undefined;
  const open = async (): Promise<string> => {
    await makeFolder(folder);
    const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+Z$/g, "");
    return `${folder}/${stamp}-${globalThis.crypto.randomUUID().slice(0, 8)}.calls.jsonl`;
  };
  return {
    write: async (lines) => {
      path ??= open();
      const { appendFile } = await import("node:fs/promises");
      try {
        await appendFile(await path, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
      } catch (error) {
        // The folder may come back, on another disk or with other rights; half a line must not stay in use.
        path = undefined;
        throw error;
      }
    },
  };
}

/**
 * With its parents. Not `recursive`: on a file system that refuses with "no such file", such as /proc, Node 20 then tries
 * for ever (seen with 20.20.2).
 */
async function makeFolder(folder: string): Promise<void> {
  const [{ mkdir }, paths] = await Promise.all([import("node:fs/promises"), import("node:path")]);
  const make = async (path: string, again: boolean): Promise<void> => {
    try {
      await mkdir(path);
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if (code === "EEXIST") return;
      if (code !== "ENOENT" || !again || paths.dirname(path) === path) throw error;
      await make(paths.dirname(path), true);
      await make(path, false);
    }
  };
  await make(paths.resolve(folder), true);
}

export interface HttpSinkOptions {
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** A running `limbeck proxy`, by its address. */
export function httpSink(address: string, options: HttpSinkOptions = {}): Sink {
  const url = `${address.replace(/\/+$/, "")}/limbeck/v1/records`;
  const send = options.fetch ?? globalThis.fetch;
  return {
    write: async (lines) => {
      const response = await send(url, {
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: lines.map((line) => `${line}\n`).join(""),
        signal: AbortSignal.timeout(options.timeoutMs ?? 10_000),
      });
      // The body is read so that the connection can be used again.
      const text = await response.text();
      if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 200)}`);
    },
  };
}
