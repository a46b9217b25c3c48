import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { bellsOf, Control } from "../shared-memory.ts";
import type { BuildRules } from "./build-rules.ts";
import type { FromBuilder, ToBuilder } from "./builder-message.ts";
import { DiskPatience } from "./disk-patience.ts";
import { FolderWatch, openBuilder, openWriter } from "./open-builder.ts";

/** Frames read of a crawler at a time, unless the buffer is handed over as a whole. */
const FRAMES_PER_TURN = 64;

const rules = workerData as BuildRules;
const { memory, out } = rules;
const port = parentPort!;
const control = new Control(memory);
const bell = bellsOf(memory).builders[rules.builder]!;
const post = (message: FromBuilder) => port.postMessage(message);
const patience = new DiskPatience(control, bell, post);
const watch = new FolderWatch(rules.lease);
const loop = openBuilder(rules, {
  patience,
  watch,
  writer: patience.repeat(() => openWriter(rules)),
  framesPerTurn: rules.config.handOff === "full" ? rules.config.bufferSize : FRAMES_PER_TURN,
  post,
  committed: run,
});
let isRunning = false;
let isClosing = false;

run();

/** Builds until no crawler writes any more, or until a writer answers later: then the end of the commit calls this again. */
function run(): void {
  if (isRunning) return;
  isRunning = true;
  try {
    while (!loop.isWriting && !isClosing) step();
  } catch (fault) {
    patience.outlast(fault, out);
    throw fault;
  }
  isRunning = false;
}

/** Does what there is to do, or sleeps until there is something. */
function step(): void {
  // Both are read before the buffers are: what came later than the permission to end cannot exist.
  const { buildersMayEnd, notes } = control;
  const note = receiveMessageOnPort(port);
  if (note !== undefined) {
    loop.crawlerDied((note.message as ToBuilder).thread);
    return;
  }
  watch.look();
  if (loop.turn(buildersMayEnd)) return;
  if (buildersMayEnd) {
    isClosing = true;
    loop.close(() => port.close());
    return;
  }
  const armed = bell.arm();
  const restMs = loop.restMs();
  if (restMs === 0 || control.notes !== notes || control.buildersMayEnd) bell.disarm();
  else bell.sleep(armed, restMs);
}
