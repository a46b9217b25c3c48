import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import { readDoneHead } from "../../frontier/fold/done-list.ts";
import { readSnapshotHead } from "../../frontier/fold/snapshot.ts";
import { doneName, segmentName, snapshotName } from "../../frontier/journal/journal-files.ts";
import {
  decodeSegmentHeader,
  SEGMENT_HEADER_BYTES,
} from "../../frontier/journal/journal-format.ts";
import { type Damage, isSameCrawl } from "../../frontier/journal/journal-reader.ts";
import { FileWindow } from "../files/file-window.ts";
import { syncFolder } from "../files/system-calls.ts";
import type { Seeds } from "../finish/journal-view.ts";

/** Until it is known where a file belongs. */
const ASIDE = ".misplaced";

/** What was done with files that had the name of another one. */
export interface Misplaced {
  /** Given the names that are written in them. */
  readonly renamed: readonly Damage[];
  /** Moved out of the way: of another crawl, or copies of a file that is there. */
  readonly removed: readonly Damage[];
}

/**
 * Gives journals, snapshots and lists that were swapped the names that are written in them, and moves what is a copy, or
 * of another crawl, to `damaged`. Killed anywhere and called again, it comes to the same end.
 */
export function putInPlace(folder: string, damaged: string, seeds: Seeds): Misplaced {
  const renamed: Damage[] = [];
  const removed: Damage[] = [];
  if (!existsSync(folder)) return { renamed, removed };
  for (const name of readdirSync(folder)) {
    if (!/^shard-\d+\.\d+\.(?:journal|snapshot|done)$/.test(name)) continue;
    const own = ownName(join(folder, name), seeds);
    if ((own !== undefined && own !== name) || !isOfShard(name, seeds))
      renameSync(join(folder, name), join(folder, name + ASIDE));
  }
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(ASIDE)) continue;
    const path = join(folder, name);
    const file = path.slice(0, -ASIDE.length);
    const own = ownName(path, seeds) ?? "";
    const place = join(folder, own);
    const isFree = (statSync(place, { throwIfNoEntry: false })?.size ?? 0) === 0;
    if (isOfShard(own, seeds) && isFree) {
      renameSync(path, place);
      renamed.push({ file, offset: 0, what: `it is ${own}, and has that name again` });
    } else {
      mkdirSync(damaged, { recursive: true });
      renameSync(path, join(damaged, basename(file)));
      const what = own === "" ? "not a file of this crawl" : `a second ${own}`;
      removed.push({ file, offset: 0, what: `${what}: moved to state/damaged` });
    }
  }
  syncFolder(folder);
  return { renamed, removed };
}

/** Whether a name is one of a shard that the crawl has. */
function isOfShard(name: string, { journals = Number.POSITIVE_INFINITY }: Seeds): boolean {
  return Number(/^shard-(\d+)/.exec(name)?.[1] ?? Number.POSITIVE_INFINITY) < journals;
}

/** The name that belongs to what is in a file; "" when it is of another crawl, undefined when it does not say. */
function ownName(path: string, seeds: Seeds): string | undefined {
  try {
    const found = headOf(path);
    if (found === undefined) return undefined;
    const { head, name } = found;
    return isSameCrawl(head, seeds) ? name : "";
  } catch (fault) {
    if (fault instanceof StoreCorruptError) return undefined;
    throw fault;
  }
}

function headOf(path: string): { head: Seeds; name: string } | undefined {
  const kind = /\.(journal|snapshot|done)(?:\.misplaced)?$/.exec(path)![1];
  if (kind === "snapshot") {
    const head = readSnapshotHead(path);
    return { head, name: snapshotName(head.shard, head.segment) };
  }
  if (kind === "done") {
    const { head } = readDoneHead(path);
    return head && { head, name: doneName(head.shard, head.list) };
  }
  const file = new FileWindow(path);
  const header = decodeSegmentHeader(file.slice(0, SEGMENT_HEADER_BYTES));
  file.close();
  if (typeof header === "string") return undefined;
  return { head: header, name: segmentName(header.shard, header.segment) };
}
