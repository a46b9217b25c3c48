// Loaded into every thread of a crawl that is being counted (`node -r`): counts calls of the file system and copies of
// bytes, and writes a line of JSON to the file in GUARD_COUNTS when the thread ends.
const fs = require("node:fs");
const { threadId } = require("node:worker_threads");

const counts = {};
const add = (name, amount = 1) => {
  counts[name] = (counts[name] ?? 0) + amount;
};

/** Replaces a method by one that tells of each call. */
function count(object, method, tell) {
  const real = object[method];
  object[method] = function (...args) {
    const result = real.apply(this, args);
    tell(this, args, result);
    return result;
  };
}

const append = fs.appendFileSync;
for (const [name, methods] of Object.entries({
  fileOpens: ["openSync", "open"],
  folderReads: ["readdirSync", "readdir"],
  fileSyncs: ["fsyncSync", "fdatasyncSync", "fsync", "fdatasync"],
  fileReads: ["readSync", "readFileSync", "read"],
  fileWrites: ["writeSync", "writevSync", "pwriteSync", "write", "writev"],
  fileLooks: ["statSync", "fstatSync", "lstatSync", "existsSync"],
}))
  for (const method of methods) if (method in fs) count(fs, method, () => add(name));

const TypedArray = Object.getPrototypeOf(Uint8Array.prototype);
const copied = (bytes) => {
  add("copies");
  add("copiedBytes", bytes);
};
count(TypedArray, "set", (_, [from]) => copied(from.byteLength ?? from.length));
count(TypedArray, "slice", (_, _args, made) => copied(made.byteLength));
count(Buffer.prototype, "copy", (_, _args, bytes) => copied(bytes));
count(Buffer, "concat", (_, _args, made) => copied(made.length));
count(Buffer.prototype, "toString", (_, _args, text) => {
  add("strings");
  add("stringChars", text.length);
});

process.on("exit", () => {
  append(process.env.GUARD_COUNTS, `${JSON.stringify({ threadId, ...counts })}\n`);
});
