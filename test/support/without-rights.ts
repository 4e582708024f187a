/** A folder that this process may not write to, whoever runs the tests: root becomes another user for the while. */
import { chmod } from "node:fs/promises";

/** The user "nobody" of most systems; that it exists does not matter. */
const NOBODY = 65_534;

export async function withoutRights(folder: string, work: () => void | Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  await chmod(folder, 0o500);
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    await chmod(folder, 0o700);
  }
}
