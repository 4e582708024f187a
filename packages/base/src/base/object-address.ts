/** Places that are typed: a folder of this machine, or an address of object storage. */
import { resolve } from "node:path";

/** Whether the text names object storage, as "s3://bucket/prefix". */
export function isObjectAddress(text: string): boolean {
  return /^s3:\/\//i.test(text);
}

/** A folder is taken from where it was typed; an address stays as it is. */
export function resolvePlace(from: string, typed: string): string {
  return isObjectAddress(typed) ? typed : resolve(from, typed);
}
