/** The words of worlds: tables that are data and no code. They lie in `packages/core/data/worlds` and are read when first asked for. */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { missingFileAdvice } from "limbeck-base/base/package-info";
import { worldText } from "./world-text.ts";

/** A list in one line of text: "oak, pine, walnut". */
export const words = z
  .string()
  .transform((text): readonly string[] => (text === "" ? [] : text.split(", ")))
  .refine((list) => list.every((word) => word !== "" && word.trim() === word), 'a list is "one, two, three"');

/** What a file says, as `read` makes it; read once. */
export function worldFile<T>(file: string, read: (text: string) => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: open(file, read) };
    return known.value;
  };
}

/** The same of a JSON file, checked. */
export function worldTable<Schema extends z.ZodType>(file: string, schema: Schema): () => z.output<Schema> {
  return worldFile(file, (text) => schema.parse(JSON.parse(text)));
}

function open<T>(file: string, read: (text: string) => T): T {
  try {
    // A clone on Windows may have got other line ends.
    return read(worldText(file).replaceAll("\r\n", "\n"));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    throw new EngineError("bad-world", `data/worlds/${file} cannot be used: ${why}. ${missingFileAdvice()}`, { cause });
  }
}
