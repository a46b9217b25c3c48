import { fstatSync, fsyncSync, ftruncateSync, writeSync } from "node:fs";
import { readFully } from "../files/read-file.ts";
import { withFile } from "../files/system-calls.ts";

/*
 * hyparquet-writer writes the smallest and largest value of each column, but not `column_orders`, field 7 of the footer.
 * Without it readers must not use them, because they cannot know what "smallest" means (parquet.thrift, ColumnOrder), and
 * Arrow does not. So the field is added here. The footer is a struct in Thrift's compact protocol: fields in the order of
 * their numbers, each with its distance from the last one, and a zero at the end.
 */

const MAGIC = "PAR1";
/** Length of the footer, and the magic. */
const TAIL_BYTES = 8;
/** Field 6, created_by, two behind the row groups, is the last one that the library writes; then the struct ends. */
const CREATED_BY = Buffer.from("\x28\x09hyparquet\x00", "latin1");
/** One field further, a list. */
const FIELD_7 = 0x19;
const STRUCTS = 0x0c;
const LONG_LIST = 0xf0;
/** A ColumnOrder with its field 1, TypeDefinedOrder, an empty struct. */
const BY_TYPE = Buffer.of(0x1c, 0, 0);

/** Notes in a finished Parquet file that all columns are ordered by their types, and makes the file durable. */
export function addColumnOrders(path: string, columns: number): void {
  withFile(path, "r+", (file) => {
    const { size } = fstatSync(file);
    const end = Buffer.alloc(CREATED_BY.length + TAIL_BYTES);
    readFully(file, end, size - end.length);
    // Another version of the library may write the field itself: then there is nothing to do.
    if (end.subarray(0, CREATED_BY.length).equals(CREATED_BY)) {
      const orders = ordersOf(columns);
      const tail = Buffer.alloc(TAIL_BYTES);
      tail.writeUInt32LE(end.readUInt32LE(CREATED_BY.length) + orders.length);
      tail.write(MAGIC, 4, "latin1");
      // The struct's end moves behind the new field.
      const from = size - TAIL_BYTES - 1;
      ftruncateSync(file, from);
      const bytes = Buffer.concat([orders, Buffer.of(0), tail]);
      for (let done = 0; done < bytes.length; )
        done += writeSync(file, bytes, done, bytes.length - done, from + done);
    }
    fsyncSync(file);
  });
}

function ordersOf(columns: number): Buffer {
  const list =
    columns < 15 ? Buffer.of((columns << 4) | STRUCTS) : Buffer.of(LONG_LIST | STRUCTS, columns);
  return Buffer.concat([Buffer.of(FIELD_7), list, ...Array<Buffer>(columns).fill(BY_TYPE)]);
}
