/** What a value looks like that a person or a generator chose as a secret, and what stands for one. */

/** `$PASSWORD` and `…` stand for one. */
export const STANDS_FOR = /^(?:\$\{?[A-Z][A-Z0-9_]{0,60}\}?|…|<[a-z -]{1,40}>|[A-Z]{2,20})$/;
/** `secret: string): boolean`, `apiKey = environment["KEY"]`, `key: options.apiKey`: the source of a program, not a value. */
export const CODE =
  /^[A-Za-z_$][\w$.?!]{0,200}[([{)<>\]}]|^[*&][A-Za-z_]|\$\{|^[A-Za-z_$]{1,60}(?:\.[A-Za-z_$]{1,60}){1,8}$/;
/** `your_key_here`, `<the key>`, `dummy-key`, and the name of a variable that is handed on: `api_key=shop_api_key`. */
export const STAND_IN =
  /^<[\w -]{1,60}>$|(?:^|[^a-z])(?:your|dummy|example|placeholder|changeme|redacted|x{3,}|here|fake|(?:my|some|the)[-_ ]?(?:secret|token|key|password)|secret[-_]value)(?:[^a-z]|$)|^\{[^}]{0,60}\}?$/i;
export const HANDED_ON =
  /^[A-Za-z_]{0,60}(?:api_?key|_key|token|secret|password|passwd|credentials?|auth)s?(?:[.?!)\]}:\\`][^0-9]{0,200})?$/i;
/** A variable of any shell or template, a command's output, a format's place, a name bound to a statement. */
const FILLED_IN = /^[<([{]|^[$%@:?&][A-Za-z_]\w*%?$|\$[({]|\{\{|%[A-Za-z_]\w*%|^%(?:[sdvq]$|\()|^\\|^#\{|^\$_/;
/** What people write where a secret would stand. */
const EVERYDAY =
  /^(?:(?:my|the|a|your|db|user|admin|root|test|some|new|old|no)?[-_ ]?(?:password|passwd|pass|pwd|pw|passphrase|secret|token|key|apikey|credentials?|user|test|value|string|admin)s?\d{0,2}|change[-_ ]?(?:it|me)|(.)\1{2,}|\*+|\.{3,}|true|false|null|none|nil|undefined|required|optional|abc\d*|foo|bar|baz|qux|hunter2|yyy)$/i;
/** `options.db2.password`, `config['x']`, `shop-secret-2024-11`: names made of words and figures. */
const DOTTED = /^[A-Za-z_$][\w$]{0,60}(?:(?:\.|->|::)[A-Za-z_$][\w$]{0,60}){1,8}$/;
const FILE_OR_ADDRESS =
  /^(?:[a-z]{2,10}:\/\/|\.{0,2}\/[\w.-]+\/|~\/)|\.(?:json|ya?ml|txt|pem|key|crt|env|md|py|[jt]sx?|html?|xml|ini|conf|toml|log)$/i;

/** `shop-secret-2024-11`: a name of small letters, of which two parts are words. */
function isKebab(value: string): boolean {
  return (
    /^[a-z][a-z0-9]*(?:[-_/:.][a-z0-9]+)+$/.test(value) &&
    !/(?:\d[a-z]+|[a-z]\d+){3}/.test(value) &&
    (value.match(/(?<![a-z0-9])[a-z]{3,}(?![a-z0-9])/g)?.length ?? 0) >= 2
  );
}

/** `db1.acme.example:5432`. */
const HOST = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6}(?::\d{1,5})?(?:\/[\w./-]{0,100})?$/;
/** `Float32Array`, `BinderProxy@2bd79ce`. */
const TYPE = /^[A-Z][a-z]{2,20}\d{1,3}[A-Z][a-z]{2,20}$|^[\w.$]{3,100}@[0-9a-f]{5,8}$/;

/** Whether a value is what programs, not people or chance, write: a path of names. */
export function isNamePath(value: string): boolean {
  // Figures and letters by turns are no name's.
  if ((value.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0) > Math.max(3, value.length / 3)) return false;
  return DOTTED.test(value) || HOST.test(value) || TYPE.test(value) || isKebab(value);
}

/** Whether a value stands for a secret, or is the source of a program. */
export function isStandIn(value: string): boolean {
  return (
    STANDS_FOR.test(value) ||
    STAND_IN.test(value) ||
    FILLED_IN.test(value) ||
    EVERYDAY.test(value) ||
    FILE_OR_ADDRESS.test(value) ||
    !/[A-Za-z0-9]/.test(value)
  );
}

/** Whether it may be a password: no stand-in, no code, and more than words: a figure among letters, or a sign within. */
export function isChosen(value: string, least: number): boolean {
  if (value.length < least || isStandIn(value) || isNamePath(value)) return false;
  const words = value.split(" ");
  if (words.length > 4 || (words.length > 1 && /[.:?,;]$/.test(value))) return false;
  const mixed = words.some((word) => /[0-9]/.test(word) && /\p{L}/u.test(word) && word.length >= least);
  return mixed || (words.length === 1 && /[A-Za-z0-9][!@#$%^&*+~?][A-Za-z0-9]/.test(value) && !CODE.test(value));
}

/** Long, without spaces, letters and digits mixed, and no letter again and again: 3 bits a letter and more. */
export function looksSecret(value: string, least = 12): boolean {
  if (value.length < least || /\s/.test(value) || !/[0-9]/.test(value) || !/[A-Za-z]/.test(value)) return false;
  const counts = new Map<string, number>();
  for (const letter of value) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits >= Math.min(3, Math.log2(value.length) - 0.6);
}
