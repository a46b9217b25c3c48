/** What one server may cost: every bound on time and size of one request. */
export interface TransportLimits {
  /** Until the connection is open, the TLS handshake included. */
  connectMs: number;
  /** From sending the request until the head is complete; if not one byte has come by then, it is a first-byte time-out. */
  firstByteMs: number;
  /** From the call of `request` to the last byte. */
  totalMs: number;
  /** A body that is slower than this over the window is given up. */
  minRateBytesPerS: number;
  minRateWindowMs: number;
  /** Body bytes kept, after de-chunking and before content decoding. */
  maxBodyBytes: number;
  /** Size of one head, blank line included; also of all chunk extensions and trailers of one body together. */
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
