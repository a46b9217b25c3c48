/** Seconds of document 003's table 1 that ours are compared with, by links per thread, threads and pages. */
export const DOCUMENT_SECONDS: readonly (readonly [
  links: number,
  threads: number,
  pages: number,
  seconds: number,
])[] = [
  ...([
    [1, 1, 100, 78.8],
    [1, 1, 200, 155.4],
    [1, 1, 500, 462.8],
  ] as const),
  ...([
    [1, 16, 100, 10.0],
    [1, 16, 200, 20.1],
    [1, 16, 500, 77.5],
  ] as const),
  ...([
    [1, 32, 100, 17.8],
    [1, 32, 200, 26.8],
    [1, 32, 500, 74.0],
  ] as const),
  ...([
    [2, 8, 100, 108.6],
    [2, 8, 200, 108.3],
    [2, 8, 500, 501.3],
  ] as const),
  ...([
    [16, 32, 100, 6.5],
    [16, 32, 200, 42.0],
    [16, 32, 500, 52.8],
  ] as const),
  ...([
    [64, 8, 100, 9.7],
    [64, 8, 200, 21.0],
    [64, 8, 500, 49.2],
  ] as const),
  ...([
    [128, 32, 100, 6.6],
    [128, 32, 200, 34.5],
    [128, 32, 500, 46.3],
  ] as const),
];
