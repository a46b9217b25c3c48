import {
  add32,
  and32,
  block,
  type Code,
  differs32,
  get,
  I32,
  I64,
  i32,
  i64,
  isBelow32,
  isEqual32,
  isZero,
  leave,
  leaveIf,
  load64,
  loadBlock,
  loadByte,
  loop,
  narrow,
  noBlock,
  or32,
  select,
  set,
  shiftLeft32,
  shiftRight32,
  shiftRight64,
  store64,
  storeBlock,
  storeByte,
  subtract32,
  type WasmFunction,
  when,
  whileTrue,
} from "../../hash/wasm-assembler.ts";
import {
  BUCKET_BYTES,
  BUCKET_SLOTS,
  bucketsOf,
  DEALT_AT,
  LAST,
  PAGES_AT,
  placeOf,
  setFullBuckets,
  TAKEN_AT,
  wordIn,
} from "./wasm-layout.ts";

const [LEFT, RIGHT, BIT] = [0, 1, 2];
const [REST, DEALING, AT, IS_MOVED, BUCKET, PLACE, TAKEN, FULL, FULL_RIGHT] = [
  3, 4, 5, 6, 7, 8, 9, 10, 11,
];
const [KEY, X] = [12, 13];

/**
 * Deals page LEFT out to itself and to RIGHT, which is empty and gets the fingerprints whose place has this BIT.
 *
 * Bucket by bucket from the first one that nothing has overflowed into: what is put back then finds its home emptied
 * already, and lands at the latest where it was. How many slots of each bucket are taken stands aside meanwhile: to look
 * for the first empty one, the processor would wait for what was put there a moment ago.
 */
export function splitFunction(pageBytes: number): WasmFunction {
  const { countBits, startOf, homeOn, following, numberOf } = bucketsOf(pageBytes);
  const high = narrow(shiftRight64(get(KEY), i64(32n)));
  const isFullNow = isEqual32(get(TAKEN), i32(BUCKET_SLOTS - 1));
  const findRoom = loop([
    ...set(PLACE, or32(numberOf(BUCKET), shiftLeft32(get(IS_MOVED), i32(countBits)))),
    ...set(TAKEN, loadByte(get(PLACE), TAKEN_AT)),
    ...when(isEqual32(get(TAKEN), i32(BUCKET_SLOTS)), [
      ...set(BUCKET, following(BUCKET)),
      ...leave(1),
    ]),
  ]);
  const putBack: Code = [
    ...set(IS_MOVED, and32(shiftRight32(placeOf(high, X), get(BIT)), i32(1))),
    ...set(BUCKET, homeOn(select(get(RIGHT), get(LEFT), get(IS_MOVED)), narrow(get(KEY)))),
    ...findRoom,
    ...store64(add32(get(BUCKET), shiftLeft32(get(TAKEN), i32(3))), get(KEY), PAGES_AT),
    ...storeByte(get(PLACE), add32(get(TAKEN), i32(1)), TAKEN_AT),
    ...set(FULL, add32(get(FULL), isFullNow)),
    ...set(FULL_RIGHT, add32(get(FULL_RIGHT), and32(isFullNow, get(IS_MOVED)))),
  ];
  const takeOut = (offset: number): Code => [
    ...storeBlock(i32(DEALT_AT), loadBlock(get(DEALING), PAGES_AT + offset), offset),
    ...storeBlock(get(DEALING), noBlock, PAGES_AT + offset),
  ];
  const body = [
    ...whileTrue(isBelow32(get(AT), i32(2 << countBits)), [
      ...storeBlock(get(AT), noBlock, TAKEN_AT),
      ...set(AT, add32(get(AT), i32(16))),
    ]),
    ...set(DEALING, startOf(get(LEFT))),
    ...whileTrue(wordIn(DEALING, LAST), set(DEALING, following(DEALING))),
    ...set(REST, i32(1 << countBits)),
    ...loop([
      ...set(DEALING, following(DEALING)),
      ...[0, 16, 32, 48].flatMap(takeOut),
      ...set(AT, i32(DEALT_AT)),
      ...block(
        loop([
          ...set(KEY, load64(get(AT))),
          ...leaveIf(isZero(narrow(get(KEY))), 1),
          ...putBack,
          ...set(AT, add32(get(AT), i32(8))),
          ...leaveIf(differs32(get(AT), i32(DEALT_AT + BUCKET_BYTES)), 0),
        ]),
      ),
      ...set(REST, subtract32(get(REST), i32(1))),
      ...leaveIf(get(REST), 0),
    ]),
    ...setFullBuckets(get(LEFT), subtract32(get(FULL), get(FULL_RIGHT))),
    ...setFullBuckets(get(RIGHT), get(FULL_RIGHT)),
    ...i32(0),
  ];
  return {
    name: "split",
    parameters: [I32, I32, I32],
    locals: [[9, I32], [2, I64]], // biome-ignore format: a table
    result: I32,
    body,
  };
}
