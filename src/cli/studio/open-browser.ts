/** Shows an address in the person's browser, where there is one. */
import { spawn } from "node:child_process";

/** True when a browser was asked to open it; nothing happens where none can be found. */
export async function openBrowser(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const command = commandFor(process.platform, env);
  if (command === undefined) return false;
  const [program, ...words] = command;
  return await new Promise((resolve) => {
    const child = spawn(program, [...words, address], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

function commandFor(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): readonly [string, ...string[]] | undefined {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["explorer.exe"];
  // Without a display there is nothing to open it on.
  return env["DISPLAY"] === undefined && env["WAYLAND_DISPLAY"] === undefined ? undefined : ["xdg-open"];
}
