/** Folders that are dear to make: the first time in a process they are made, later ones are written from memory. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

type Files = ReadonlyMap<string, Buffer>;

const made = new Map<string, Files>();

/** Fills `folder` with what `make` writes into one; the same name always means the same content. */
export async function madeOnce(name: string, folder: string, make: (folder: string) => Promise<void>): Promise<void> {
  const files = made.get(name) ?? (await readMade(make));
  made.set(name, files);
  await mkdir(folder, { recursive: true });
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
}

async function readMade(make: (folder: string) => Promise<void>): Promise<Files> {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-made-"));
  try {
    await make(folder);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return new Map(
      await Promise.all(paths.map(async (path) => [relative(folder, path), await readFile(path)] as const)),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
