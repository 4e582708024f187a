/** Limbeck's recorder and injector: what an agent does goes out, skills that fit come in. Neither can break the agent. */
export {
  createInjector,
  type InjectMiddleware,
  type Injector,
  type InjectorOptions,
  type InjectorStatus,
} from "./injector.ts";
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
export type { RecordMiddleware } from "./recorded-calls.ts";
export { createRedactor, type RedactOptions, type Redactor } from "./redact.ts";
export { fileSink, httpSink, type HttpSinkOptions, type Sink } from "./sink.ts";
export type { SkillSource } from "./skill-library.ts";
export type { InjectedSkill, SkillCondition } from "./skills.ts";
