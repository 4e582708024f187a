/** Limbeck's recorder: captures what an agent does, for the store to keep. Nothing here can break the agent. */
export type {
  CallLine,
  CallUsage,
  EndLine,
  Fault,
  Feedback,
  FeedbackLine,
  Json,
  JsonObject,
  Message,
  RecordLine,
  TaskLine,
  ToolCall,
} from "./lines.ts";
export {
  createRecorder,
  type Recorder,
  type RecorderOptions,
  type RecorderStatus,
  type RunOptions,
} from "./recorder.ts";
export type { RecordMiddleware } from "./recorded-model.ts";
export { createRedactor, type RedactOptions, type Redactor } from "./redact.ts";
export { fileSink, httpSink, type HttpSinkOptions, type Sink } from "./sink.ts";
