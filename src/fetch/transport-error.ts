/** Every way a request can fail, with any transport; the codes are stable and appear in logs and reports. */
export const TRANSPORT_ERRORS = {
  connect_timeout: "no connection, or no TLS session, within the connect deadline",
  connection_refused: "nobody listens on that port",
  unreachable: "no route to the address",
  reset: "the connection was reset or closed before the head of the response was complete",
  connection_lost: "a kept connection was closed by the server before it answered",
  first_byte_timeout: "not one byte of a response before its deadline",
  header_timeout: "the head of the response was not complete before its deadline",
  total_timeout: "the request ran out of time before the head was complete",
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
export type TransportError = keyof typeof TRANSPORT_ERRORS;

const ADDRESS_ERRORS: ReadonlySet<string> = new Set([
  "connect_timeout",
  "connection_refused",
  "unreachable",
]);

/** Whether an error says something about an address rather than about what answers there. */
export function isAddressError(error: TransportError): boolean {
  return ADDRESS_ERRORS.has(error);
}
