/**
 * Chat templates of the usual families, written anew from how each family documents its turns, with a tokenizer that has
 * the special tokens they name. They show what matters here: how turns are framed, and what is done to earlier ones.
 */
import { trainBytePair } from "../../packages/policy/src/policy/local/byte-pair.ts";
import type { TokenizerFiles } from "../../packages/policy/src/policy/local/tokenizer.ts";

interface Family {
  readonly template: string;
  readonly specials: readonly string[];
  /** `bos_token`, which templates may write. */
  readonly start?: string;
}

const CHATML = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];

/** Qwen's way with tools: a list in the system message, calls and results in tags. */
const QWEN_TOOLS = `
{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}
    {{- 'Tools you may call:\\n<tools>' }}
    {%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{%- endfor %}
    {{- '\\n</tools><|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
`;

const QWEN_CALLS = `
        {%- for call in message.tool_calls or [] %}
            {%- set one = call.function if call.function else call %}
            {{- '\\n<tool_call>\\n{"name": "' + one.name + '", "arguments": ' + (one.arguments | tojson) + '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == 'tool' %}
        {%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}{{- '<|im_start|>user' }}{%- endif %}
        {{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}
        {%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{- '<|im_end|>\\n' }}{%- endif %}
    {%- endif %}
{%- endfor %}`;

export const families = {
  chatml: {
    template:
      "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}" +
      "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}",
    specials: CHATML,
  },
  /** A system message of its own where none is given. */
  "qwen2.5": {
    template: `${QWEN_TOOLS}
{%- else %}
    {{- '<|im_start|>system\\nBe helpful.<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'user' %}
        {{- '<|im_start|>user\\n' + message.content + '<|im_end|>\\n' }}
    {%- elif message.role == 'assistant' %}
        {{- '<|im_start|>assistant' }}
        {%- if message.content %}{{- '\\n' + message.content }}{%- elif not message.tool_calls %}{{- '\\n' }}{%- endif %}
${QWEN_CALLS}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`,
    specials: CHATML,
  },
  /** Thinking stays in the turns since the last question and is taken out of earlier ones; a switch writes an empty one. */
  qwen3: {
    template: `${QWEN_TOOLS}
{%- endif %}
{%- set ns = namespace(last=0) %}
{%- for message in messages %}{%- if message.role == 'user' %}{%- set ns.last = loop.index0 %}{%- endif %}{%- endfor %}
{%- for message in messages %}
    {%- if message.role == 'user' %}
        {{- '<|im_start|>user\\n' + message.content + '<|im_end|>\\n' }}
    {%- elif message.role == 'assistant' %}
        {%- set thought = message.reasoning_content or '' %}
        {%- set answer = message.content or '' %}
        {%- if not thought and '</think>' in answer %}
            {%- set thought = answer.split('</think>')[0].split('<think>')[-1].strip('\\n') %}
            {%- set answer = answer.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {{- '<|im_start|>assistant\\n' }}
        {%- if loop.index0 > ns.last and thought %}{{- '<think>\\n' + thought + '\\n</think>\\n\\n' }}{%- endif %}
        {{- answer }}
${QWEN_CALLS}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}
{%- endif %}`,
    specials: CHATML,
  },
  /** Contents are trimmed; one call at a time; results come from "ipython". */
  llama3: {
    template: `{{- bos_token }}
{%- if tools %}
    {{- '<|start_header_id|>system<|end_header_id|>\\n\\nFunctions:' }}
    {%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{%- endfor %}
    {{- '<|eot_id|>' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.tool_calls %}
        {%- if message.tool_calls | length != 1 %}{{- raise_exception('one call at a time') }}{%- endif %}
        {%- set one = message.tool_calls[0].function %}
        {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n{"name": "' + one.name + '", "parameters": ' + (one.arguments | tojson) + '}<|eot_id|>' }}
    {%- else %}
        {%- set role = 'ipython' if message.role == 'tool' else message.role %}
        {{- '<|start_header_id|>' + role + '<|end_header_id|>\\n\\n' + message.content | trim + '<|eot_id|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}`,
    specials: ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"],
    start: "<|begin_of_text|>",
  },
  /** Questions in brackets, answers after them; the system message moves to the last question; roles alternate. */
  mistral: {
    template: `{%- if messages[0].role == 'system' %}{%- set system = messages[0].content %}{%- set rest = messages[1:] %}
{%- else %}{%- set rest = messages %}{%- endif %}
{{- bos_token }}
{%- for message in rest %}
    {%- if message.role == 'user' %}
        {%- if loop.last and system is defined %}{{- '[INST] ' + system + '\\n\\n' + message.content + '[/INST]' }}
        {%- else %}{{- '[INST] ' + message.content + '[/INST]' }}{%- endif %}
    {%- elif message.role == 'assistant' and not message.tool_calls %}
        {{- ' ' + message.content + eos_token }}
    {%- else %}{{- raise_exception('only user and assistant take turns here') }}{%- endif %}
{%- endfor %}`,
    specials: ["<s>", "[INST]", "[/INST]", "</s>"],
    start: "<s>",
  },
  /** The assistant is "model"; the system message is the beginning of the first question; contents are trimmed. */
  gemma: {
    template: `{{- bos_token }}
{%- if messages[0].role == 'system' %}{%- set first = messages[0].content + '\\n\\n' %}{%- set rest = messages[1:] %}
{%- else %}{%- set first = '' %}{%- set rest = messages %}{%- endif %}
{%- for message in rest %}
    {%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}{{- raise_exception('roles must alternate') }}{%- endif %}
    {%- set role = 'model' if message.role == 'assistant' else message.role %}
    {{- '<start_of_turn>' + role + '\\n' + (first if loop.first else '') + message.content | trim + '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<start_of_turn>model\\n' }}{%- endif %}`,
    specials: ["<bos>", "<start_of_turn>", "<end_of_turn>"],
    start: "<bos>",
  },
  phi3: {
    template:
      "{% for message in messages %}{{ '<|' + message.role + '|>\\n' + message.content + '<|end|>\\n' }}{% endfor %}" +
      "{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}",
    specials: ["<|endoftext|>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>"],
  },
} as const satisfies Record<string, Family>;

export type FamilyName = keyof typeof families;

/** The files of a tokenizer with the family's special tokens and template, or with another template. */
export function familyFiles(name: FamilyName, template: string = families[name].template): TokenizerFiles {
  const { specials, start }: Family = families[name];
  const files = trainBytePair(["go to the desk\n\nlook around"], { vocabularySize: 270, specials });
  const config = { ...files.config, ...(start === undefined ? {} : { bos_token: start }) };
  return { ...files, config, chatTemplate: template };
}
