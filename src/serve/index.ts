/** HTTP and an event stream over the store, read-only unless told, for the pages of the studio. */
export type { Answer, Body, Endpoint, EndpointName, Endpoints, Query } from "./api.ts";
