/** Every way an exchange can fail; the codes are stable and appear in logs and reports. Nothing else is ever reported. */
export const WIRE_ERRORS = {
  connect_timeout: "no connection, or no TLS session, within the connect deadline",
  connection_refused: "nobody listens on that port",
  unreachable: "no route to the address",
  reset: "the connection was reset or closed before the head of the response was complete",
  connection_lost: "a kept connection was closed by the server before it answered",
  first_byte_timeout: "not one byte of a response before its deadline",
  header_timeout: "the head of the response was not complete before its deadline",
  total_timeout: "the exchange ran out of time before the head was complete",
  bad_response: "what came is not an HTTP/1 response that can be trusted",
  bad_encoding: "the head is too long because of content codings nobody could undo",
  headers_too_large: "the head is longer, or has more lines, than allowed",
  bad_request: "the request holds a character that may not be sent",
  proxy_refused: "the proxy cannot be found or would not connect us",
  too_many_files: "this process may not open more sockets",
  aborted: "the client was closed meanwhile",
  tls_expired: "the certificate has expired",
  tls_not_yet_valid: "the certificate is not valid yet",
  tls_self_signed: "the certificate, or the root of its chain, is self-signed and unknown",
  tls_wrong_host: "the certificate belongs to another host",
  tls_untrusted: "no known authority stands behind the certificate",
  tls_revoked: "the certificate was revoked",
  tls_weak: "a key or signature in the chain is too weak",
  tls_bad_certificate: "the certificate or its chain is malformed or not meant for this use",
  tls_protocol: "no common TLS version or cipher, or the peer does not speak TLS",
} as const;

/** One of the stable failure codes. */
export type WireError = keyof typeof WIRE_ERRORS;

const SYSTEM: Readonly<Record<string, WireError>> = {
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
export function wireErrorOf(error: Error, secure: boolean): WireError {
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
