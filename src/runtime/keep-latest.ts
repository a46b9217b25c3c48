/**
 * Puts an entry at the end of a map that is in order of use, and drops the oldest when there are more than `max`. A map that
 * is less than half full keeps the order it has: before anything is dropped, whatever is in use will have been moved, and
 * moving costs more than looking. Returns the key that was dropped.
 */
export function keepLatest<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  max: number,
): Key | undefined {
  if (2 * map.size < max && map.get(key) === value) return undefined;
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return undefined;
  const oldest = map.keys().next().value!;
  map.delete(oldest);
  return oldest;
}
