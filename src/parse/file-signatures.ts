/** How files begin that servers send under the name of HTML by mistake, or to make somebody unpack them. */
const SIGNATURES: readonly string[] = [
  "PK\x03\x04", // zip, and everything made of it
  "PK\x05\x06", // an empty zip
  "\x1f\x8b", // gzip
  "BZh",
  "\xfd7zXZ\x00",
  "7z\xbc\xaf\x27\x1c",
  "Rar!\x1a\x07",
  "\x28\xb5\x2f\xfd", // zstd
  "%PDF-",
  "%!PS-Adobe-",
  "\x89PNG\r\n",
  "GIF8",
  "\xff\xd8\xff", // JPEG
  "II*\x00", // TIFF
  "MM\x00*",
  "\x00\x00\x01\x00", // icon
  "RIFF", // WebP, WAVE, AVI
  "\x1aE\xdf\xa3", // Matroska, WebM
  "OggS",
  "ID3",
  "fLaC",
  "FLV\x01",
  "\x00\x00\x01\xba", // MPEG
  "\x00\x00\x01\xb3",
  "\x7fELF",
  "MZ\x90\x00",
  "\xca\xfe\xba\xbe",
  "\x00asm",
  "wOFF",
  "wOF2",
  "SQLite format 3\x00",
];

const LONGEST = 16;
const BOX = "ftyp"; // MP4 and its relatives name their brand behind a length

/** Whether bytes begin like a picture, video, program or packed file: then they hold no markup to read. */
export function beginsLikeFile(bytes: Buffer): boolean {
  const start = bytes.toString("latin1", 0, LONGEST);
  return start.slice(4, 8) === BOX || SIGNATURES.some((signature) => start.startsWith(signature));
}
