/** Without Node's types, which users of the package may lack: options of public functions name it. */

/** Certificate and key as PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}
