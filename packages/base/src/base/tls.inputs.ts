/** Options of HTTPS. */
import { input } from "./input.ts";

export const tlsInputs = {
  tlsCert: input.path("FILE", "Certificate, PEM: the server then speaks HTTPS. Default: plain HTTP"),
  tlsKey: input.path("FILE", "Its private key, PEM, without a password"),
};
