/** For programs that are put into one file: the words of the worlds, which lie in `packages/core/data/worlds`, go with them. */
import { readdirSync, readFileSync } from "node:fs";
import type { Plugin } from "esbuild";

export const withWorlds: Plugin = {
  name: "with-worlds",
  setup: (build) => {
    build.onLoad({ filter: /env[\\/]world-text\.ts$/ }, () => {
      const folder = new URL("../../packages/core/data/worlds/", import.meta.url);
      const texts = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), "utf8")] as const);
      const table = JSON.stringify(Object.fromEntries(texts));
      return { contents: `const texts = ${table}; export const worldText = (file) => texts[file];`, loader: "js" };
    });
  },
};
