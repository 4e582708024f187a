/** The files of `packages/core/data/worlds`. In a file of its own, so that a bundle can hold their texts instead (`scripts/bundle.ts`). */
import { readFileSync } from "node:fs";

export function worldText(file: string): string {
  return readFileSync(new URL(`../../data/worlds/${file}`, import.meta.url), "utf8");
}
