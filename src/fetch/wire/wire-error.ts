import type { TransportError } from "../transport-error.ts";

const SYSTEM: Readonly<Record<string, TransportError>> = {
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  EPIPE: "reset",
  ETIMEDOUT: "connect_timeout",
  EMFILE: "too_many_files",
  ENFILE: "too_many_files",
  ENOBUFS: "too_many_files",
  ENOMEM: "too_many_files",
  ERR_TLS_CERT_ALTNAME_INVALID: "tls_wrong_host",
  HOSTNAME_MISMATCH: "tls_wrong_host",
  CERT_HAS_EXPIRED: "tls_expired",
  CRL_HAS_EXPIRED: "tls_expired",
  CERT_NOT_YET_VALID: "tls_not_yet_valid",
  CRL_NOT_YET_VALID: "tls_not_yet_valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls_self_signed",
  SELF_SIGNED_CERT_IN_CHAIN: "tls_self_signed",
  UNABLE_TO_GET_ISSUER_CERT: "tls_untrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls_untrusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls_untrusted",
  CERT_UNTRUSTED: "tls_untrusted",
  CERT_REJECTED: "tls_untrusted",
  CERT_REVOKED: "tls_revoked",
  ERR_SSL_EE_KEY_TOO_SMALL: "tls_weak",
  ERR_SSL_CA_KEY_TOO_SMALL: "tls_weak",
  ERR_SSL_CA_MD_TOO_WEAK: "tls_weak",
  ERR_SSL_DH_KEY_TOO_SMALL: "tls_weak",
  CERT_SIGNATURE_FAILURE: "tls_bad_certificate",
  CERT_CHAIN_TOO_LONG: "tls_bad_certificate",
  INVALID_CA: "tls_bad_certificate",
  INVALID_PURPOSE: "tls_bad_certificate",
  PATH_LENGTH_EXCEEDED: "tls_bad_certificate",
  EPROTO: "tls_protocol",
};

/** Maps what a socket reports to one of our codes; `secure` decides about codes only OpenSSL can have made. */
export function wireErrorOf(error: Error, secure: boolean): TransportError {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const known = SYSTEM[code];
  if (known !== undefined) return known;
  if (secure) {
    // OpenSSL's verification errors beyond Node's own table arrive as "UNSPECIFIED" with a sentence.
    if (/too (weak|small)/.test(error.message)) return "tls_weak";
    if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) return "tls_protocol";
    if (code === "UNSPECIFIED" || /CERT|CRL|ISSUER/.test(code)) return "tls_bad_certificate";
  }
  // EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, EACCES (a local firewall), EINVAL and their like.
  return "unreachable";
}
