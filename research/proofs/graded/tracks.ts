/** The world of tracks, opened. */
import type { Demonstrator } from "limbeck/env";
import tracks from "../../new-worlds/tracks.ts";

export const tracksEnv = await tracks.create();
export const tracksDemonstrator = tracks.demonstrators?.["expert"] as Demonstrator;
