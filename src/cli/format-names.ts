/** The names of the interchange formats, loaded when asked for. */
export async function formatNames(): Promise<readonly string[]> {
  const { formats } = await import("../store/formats/index.ts");
  return Object.keys(formats).sort();
}
