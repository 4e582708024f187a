/** For programs that are put into one file while other packages stay outside: what is ours goes in. */
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { fileOf, namedPath } from "../layout.ts";

export const ourSources: Plugin = {
  name: "our-sources",
  setup: (build) => {
    build.onResolve({ filter: /^limbeck-/ }, ({ path }) => {
      const named = namedPath(path);
      return named === undefined
        ? undefined
        : { path: fileURLToPath(new URL(`../../${fileOf(named)}`, import.meta.url)) };
    });
  },
};
