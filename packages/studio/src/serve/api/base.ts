/** Pieces that several answers are made of. Nothing here imports the server, so that the pages can share the types. */
import { z } from "zod";

export const apiError = z.object({
  error: z.object({
    /** A word for programs: "no-run", "bad-request", "unauthorised", "read-only", … */
    code: z.string(),
    /** What happened and the way out, for people. */
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type ApiError = z.infer<typeof apiError>;

/** Text of a run is shown as it is, but not in one piece when it is huge. */
export const longText = z.object({
  text: z.string(),
  /** Letters (UTF-16 units) of the whole text; more than `text` holds when it was cut. */
  length: z.int(),
  cut: z.boolean(),
});
export type LongText = z.infer<typeof longText>;

/** An estimate with its 95% interval. */
export const interval = z.object({ value: z.number(), low: z.number(), high: z.number(), tasks: z.int() });
export type Interval = z.infer<typeof interval>;

export const outcome = z.enum(["success", "failure", "unknown"]);
export type Outcome = z.infer<typeof outcome>;

export const ending = z.enum(["terminated", "truncated", "failed"]);

/** One value of a curve; the band is there where something is known about its spread. */
export const point = z.object({
  x: z.number(),
  y: z.number(),
  low: z.number().optional(),
  high: z.number().optional(),
});
export type CurvePoint = z.infer<typeof point>;

/** Numbers in a query come as text; the server reads them. */
export const someNumber = z
  .union([z.number(), z.string()])
  .transform((given) => (given === "" ? Number.NaN : Number(given)))
  .pipe(z.number("must be a number"));
export const wholeNumber = someNumber.pipe(z.int("must be a whole number").min(0));

export const paging = {
  offset: wholeNumber.default(0).describe("rows to skip"),
  limit: wholeNumber.pipe(z.int().min(1).max(500)).default(50).describe("rows to give, 500 at most"),
};

/** A part of a longer list. */
export const page = { offset: z.int(), limit: z.int(), total: z.int() };

/** A query parameter that may be given once or several times. */
export const onceOrMore = z.union([z.array(z.string()), z.string().transform((one) => [one])]).optional();
