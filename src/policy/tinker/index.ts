/** Policies whose weights are on a trainer with the Tinker protocol: hosted, SkyRL, or `limbeck trainer`. */
export type { CheckpointClient, RemoteCheckpoint } from "./checkpoint-client.ts";
export type { ChunkLimits, ForwardOutput } from "./datum.ts";
export { connectTinker, type ModelRequest, type TinkerClient, type TinkerClientOptions } from "./client.ts";
export { datumOf, type LossInputs } from "./datum.ts";
export type { TinkerAddress, TinkerHttp, TinkerHttpOptions } from "./http.ts";
export { lossScales, type LossScale } from "./training-probe.ts";
export type { RemoteSample, RemoteSamples, SampleRequest, SamplingClient } from "./sampling-client.ts";
export type { ServerProfile } from "./client.ts";
export type { TinkerSession } from "./client.ts";
export { openTinkerPolicy, type TinkerPolicy, type TinkerPolicyOptions } from "./tinker-policy.ts";
export type { LossOptions, TrainingClient } from "./training-client.ts";
export type { IgnoredSetting, TrainingProfile } from "./training-probe.ts";
export type { AdamParams, Datum, LossName, SamplingParams, WireTensor } from "./wire.ts";
