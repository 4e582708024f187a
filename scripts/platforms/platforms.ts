/** The machines that both commands must work on, and which of them a package, by its name, is made for. */

export interface Platform {
  readonly name: string;
  readonly os: "darwin" | "linux" | "win32";
  readonly cpu: "arm64" | "x64";
  readonly libc?: "glibc" | "musl";
}

/** Every part with native files must be there for each of these. */
export const REQUIRED_PLATFORMS: readonly Platform[] = [
  { name: "linux-x64", os: "linux", cpu: "x64", libc: "glibc" },
  { name: "linux-arm64", os: "linux", cpu: "arm64", libc: "glibc" },
  { name: "darwin-arm64", os: "darwin", cpu: "arm64" },
  { name: "darwin-x64", os: "darwin", cpu: "x64" },
  { name: "win32-x64", os: "win32", cpu: "x64" },
];

/** Used where the maker offers them: Alpine and its kin. */
export const MUSL_PLATFORMS: readonly Platform[] = [
  { name: "linux-x64-musl", os: "linux", cpu: "x64", libc: "musl" },
  { name: "linux-arm64-musl", os: "linux", cpu: "arm64", libc: "musl" },
];

export const PLATFORMS: readonly Platform[] = [...REQUIRED_PLATFORMS, ...MUSL_PLATFORMS];

/** `@duckdb/node-bindings-linux-arm64-musl` is made for linux, arm64 and musl; a name without a platform gives nothing. */
export function platformOf(packageName: string): Platform | undefined {
  const words = packageName.toLowerCase().split(/[^a-z0-9]+/);
  return PLATFORMS.find(
    ({ os, cpu, libc }) =>
      words.includes(os) && words.includes(cpu) && (os !== "linux" || words.includes("musl") === (libc === "musl")),
  );
}
