/** HTTP and an event stream over the store, read-only unless told, for the pages of the studio. */
export { startStudio, type Studio, type StudioOptions } from "./server.ts";
