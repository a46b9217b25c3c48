import { loadInOrder } from "./load-in-order.ts";

// Stands before a worker's own module where few files may be open.
await loadInOrder(new URL(process.argv[2]!));
