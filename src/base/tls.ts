/** In a file without Node's types: options of public functions name it, and who installs the package may not have those. */

/** Certificate and key as PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}
