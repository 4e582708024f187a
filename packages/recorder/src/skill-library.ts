/**
 * Where the injector's skills come from. No call waits longer than `timeoutMs` for them, and only while there are none
 * yet; a refresh happens beside the calls, and one that fails leaves the skills that are there in use.
 */
import { createSelector, type Selector } from "./selection/select.ts";
import { readSkills, type InjectedSkill } from "./skills.ts";

/** A list, the path of a JSON file or of a library folder, an http address, or a function that gets them from anywhere. */
export type SkillSource = readonly InjectedSkill[] | string | URL | (() => unknown);

export interface LibraryOptions {
  readonly source: SkillSource;
  /** A first load that takes longer has failed for the calls that wait. Default: 1 second. */
  readonly timeoutMs?: number;
  /** Skills are loaded again after so long. Default: 5 minutes. A list never is. */
  readonly refreshMs?: number;
  /** After a failure, calls go without for so long before the next try. Default: 30 seconds. */
  readonly retryMs?: number;
  readonly clock: () => number;
  readonly onFailure: (error: unknown) => void;
}

/** Longer texts are refused: a library of this size was not meant for prompts. */
const LONGEST_FILE = 8 * 1024 * 1024;

export class SkillLibrary {
  readonly #options: LibraryOptions;
  #selector: Selector | undefined;
  #skipped = 0;
  #loading: Promise<void> | undefined;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(options: LibraryOptions) {
    this.#options = options;
  }

  get facts(): { readonly skills: number; readonly skipped: number } {
    return { skills: this.#selector?.size ?? 0, skipped: this.#skipped };
  }

  /** Undefined while there are none: not loaded in time, or failed lately. Never rejects. */
  async selector(): Promise<Selector | undefined> {
    if (this.#loading === undefined && this.#options.clock() >= this.#nextAt) this.#loading = this.#load();
    if (this.#selector === undefined && this.#loading !== undefined) await this.#inTime(this.#loading);
    return this.#selector;
  }

  async #load(): Promise<void> {
    const { source, clock, refreshMs = 300_000 } = this.#options;
    try {
      const { skills, skipped } = readSkills(await loadSkills(source, this.#timeoutMs()));
      this.#selector = createSelector(skills);
      this.#skipped = skipped;
      this.#nextAt = Array.isArray(source) ? Number.POSITIVE_INFINITY : clock() + refreshMs;
      if (skipped > 0) this.#options.onFailure(new Error(`${skipped} entries are no skills, or repeat an id.`));
    } catch (error) {
      this.#failed(error);
    }
    this.#loading = undefined;
  }

  /** A load that comes after all is still taken, for later calls; the next try does not wait for it. */
  async #inTime(loading: Promise<void>): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        if (this.#loading === loading) {
          this.#loading = undefined;
          this.#failed(new Error(`Skills took longer than ${this.#timeoutMs()} ms; calls go on without them.`));
        }
        resolve();
      }, this.#timeoutMs());
    });
    await Promise.race([loading, late]);
    clearTimeout(timer);
  }

  #timeoutMs(): number {
    return this.#options.timeoutMs ?? 1000;
  }

  #failed(error: unknown): void {
    this.#nextAt = this.#options.clock() + (this.#options.retryMs ?? 30_000);
    this.#options.onFailure(error);
  }
}

async function loadSkills(source: SkillSource, timeoutMs: number): Promise<unknown> {
  if (typeof source === "function") return await source();
  if (typeof source !== "string" && !(source instanceof URL)) return source;
  const address = String(source);
  const text = /^https?:/.test(address) ? await download(address, timeoutMs) : await readText(source);
  const value: unknown = JSON.parse(text);
  return value;
}

async function download(address: string, timeoutMs: number): Promise<string> {
  const response = await globalThis.fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`${address} answered ${response.status}.`);
  const decoder = new TextDecoder();
  let text = "";
  // No more than the bound is taken from a server that goes on.
  for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > LONGEST_FILE) throw tooLong(address);
  }
  return text + decoder.decode();
}

function tooLong(address: string): Error {
  return new Error(`${address} is longer than ${LONGEST_FILE} characters.`);
}

async function readText(path: string | URL): Promise<string> {
  const { readFile, stat } = await import("node:fs/promises");
  const index =
    typeof path === "string" ? `${path}/index.json` : new URL("index.json", `${path.href.replace(/\/$/, "")}/`);
  const file = (await stat(path)).isDirectory() ? index : path;
  const found = await stat(file);
  if (!found.isFile()) throw new Error(`${String(file)} is not a plain file.`);
  if (found.size > LONGEST_FILE) throw tooLong(String(file));
  return await readFile(file, "utf8");
}
