// The bad-port list of the Fetch standard: services that can be made to misread an HTTP request as commands.
const FETCH_BAD_PORTS = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
];

// Not on that list, but line protocols of the same kind that a crawler inside a data centre can reach.
const LINE_PROTOCOL_STORES = [6379 /* Redis */, 11211 /* memcached */];

const blocked = new Set([...FETCH_BAD_PORTS, ...LINE_PROTOCOL_STORES]);

/** True for a port where an HTTP request could do harm: the Fetch standard's list, Redis and memcached. */
export function isBlockedPort(port: number): boolean {
  return blocked.has(port);
}
