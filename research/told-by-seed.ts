/** Files of one seed each, read together: a mean with its interval for whatever is asked of them. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { tInterval } from "limbeck/eval";

type Tell<Found> = (title: string, of: (one: Found) => number) => void;

/** Of `NAME-SEED.json` in a folder. */
export async function foundBySeed<Found>(folder: string, name: string): Promise<readonly Found[]> {
  const names = (await readdir(folder)).filter((file) => new RegExp(`^${name}-\\d+\\.json$`).test(file));
  return await Promise.all(names.map(async (file) => JSON.parse(await readFile(join(folder, file), "utf8")) as Found));
}

export async function toldBySeed<Found>(folder: string, name: string): Promise<Tell<Found>> {
  const all = await foundBySeed<Found>(folder, name);
  process.stdout.write(`${all.length} seeds\n`);
  return (title, of) => {
    const { mean, low, high } = tInterval(all.map(of));
    process.stdout.write(`${title}: ${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})\n`);
  };
}
