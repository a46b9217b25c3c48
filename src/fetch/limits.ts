/** What one server may cost: every bound on time and size of one request. */
export interface TransportLimits {
  /** Until the connection stands, the TLS handshake included. */
  connectMs: number;
  /** From the request until its head is complete; without any byte by then it is a first-byte time-out. */
  firstByteMs: number;
  /** The whole of it, from `request()` to the last byte. */
  totalMs: number;
  /** A body that brings less than this over the window is given up. */
  minRateBytesPerS: number;
  minRateWindowMs: number;
  /** Body bytes kept, after de-chunking and before content decoding. */
  maxBodyBytes: number;
  /** Status line and header lines of one head, blank line included; also all chunk extensions and trailers of one body. */
  maxHeadBytes: number;
  maxHeadLines: number;
  /** Informational (1xx) heads skipped before the real one. */
  maxInformational: number;
}

/** The limits of a polite crawl on the open web. */
export const DEFAULT_LIMITS: TransportLimits = {
  connectMs: 10_000,
  firstByteMs: 20_000,
  totalMs: 60_000,
  minRateBytesPerS: 256,
  minRateWindowMs: 15_000,
  maxBodyBytes: 10 * 1024 * 1024,
  maxHeadBytes: 16 * 1024,
  maxHeadLines: 100,
  maxInformational: 16,
};
