/** Stand-in. */
export function isBlockedPort(port: number): boolean {
  return [22, 25, 6667].includes(port);
}
