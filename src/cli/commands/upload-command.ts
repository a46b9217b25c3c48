import { printable } from "../../config/printable.ts";
import { formatSize, parseSize } from "../../config/values/sizes.ts";
import { EXIT, UsageError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { printJson } from "../io.ts";
import { DEBUG_OPTION, isOn, jsonOption, textOf } from "../options.ts";
import { count, counted } from "../print-summary.ts";

const group = "Options";
const TARGET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;
const PART_BYTES = 16 * 1024 * 1024;
/** The least that S3 takes, but for the last part. */
const MIN_PART_BYTES = 5 * 1024 * 1024;

/** `orbweaver upload`. */
export const command: Command = {
  name: "upload",
  usage: [
    "upload DIR s3://BUCKET/PREFIX [--endpoint URL] [--region NAME] [--part-size SIZE] [--json]",
  ],
  about:
    "Uploads the folder of a crawl to S3 or a server that speaks its protocol, every file compared by its SHA-256. Called again it sends what is missing. Needs the package @aws-sdk/client-s3, which finds credentials as every AWS program does: environment, configuration files, roles.",
  options: [
    {
      flag: "endpoint",
      value: "URL",
      group,
      about: "another server than Amazon's; it is asked for BUCKET as a part of the path",
      allowed: "a URL",
      examples: ["--endpoint http://127.0.0.1:9000"],
    },
    {
      flag: "region",
      value: "NAME",
      group,
      about: "the region of the bucket (default: AWS_REGION, or us-east-1)",
      allowed: "the name of a region",
      examples: ["--region eu-central-1"],
    },
    {
      flag: "part-size",
      value: "SIZE",
      group,
      about: `larger files are sent in parts of this size, and go on at the next part (default ${formatSize(PART_BYTES)})`,
      allowed: `a size of at least ${formatSize(MIN_PART_BYTES)}`,
      examples: ["--part-size 64MiB"],
    },
    jsonOption("print one JSON object instead of a sentence"),
    DEBUG_OPTION,
  ],
  examples: [
    ["orbweaver upload crawls/example s3://my-bucket/crawls/example", "to Amazon S3"],
    [
      "orbweaver upload crawls/example s3://crawls/example --endpoint http://127.0.0.1:9000",
      "to a server of one's own",
    ],
  ],
  async run(args, io) {
    const [dir, target, ...more] = args.words;
    const [, bucket, path = ""] = TARGET.exec(target ?? "") ?? [];
    if (dir === undefined || bucket === undefined || more.length > 0)
      throw new UsageError(
        "upload takes a crawl folder and a place; for example orbweaver upload crawls/example s3://my-bucket/example",
      );
    const endpoint = textOf(args, "endpoint");
    if (endpoint !== undefined && !/^https?:\/\/./.test(endpoint))
      throw new UsageError(`--endpoint ${printable(endpoint)} is not allowed; use a URL`);
    const partBytes = partBytesOf(textOf(args, "part-size"));
    const { loadS3 } = await import("../../upload/load-s3.ts");
    const { ObjectStore } = await import("../../upload/object-store.ts");
    const { uploadFolder } = await import("../../upload/upload-folder.ts");
    const s3 = await loadS3();
    const store = new ObjectStore({ s3, bucket, endpoint, region: textOf(args, "region") });
    try {
      const prefix = path.replace(/^\/+|\/+$/g, "");
      const result = await uploadFolder(dir, store, {
        prefix,
        partBytes,
        onFile: (name, wasThere, bytes) => {
          if (io.stderr.isTTY)
            io.stderr.write(`${printable(name)}: ${wasThere ? "there" : formatSize(bytes)}\n`);
        },
      });
      if (isOn(args, "json")) printJson(io, { bucket, prefix, ...result });
      else
        io.stdout.write(
          `${counted(result.files, "file")}, ${count(result.bytes)} bytes; ${count(result.sentFiles)} sent now (${count(result.sentBytes)} bytes), the others were there. All compared by SHA-256.\n`,
        );
      return EXIT.finished;
    } catch (fault) {
      throw explained(fault);
    } finally {
      store.close();
    }
  },
};

function partBytesOf(text: string | undefined): number {
  if (text === undefined) return PART_BYTES;
  const bytes = parseSize(text);
  if (bytes !== undefined && bytes >= MIN_PART_BYTES) return bytes;
  throw new UsageError(
    `--part-size ${printable(text)} is not allowed; use a size of at least ${formatSize(MIN_PART_BYTES)}, for example --part-size 64MiB`,
  );
}

/** What the client throws, as a sentence; our own errors stay. */
function explained(fault: unknown): unknown {
  const { name, message, $metadata } = fault as {
    name?: string;
    message?: string;
    $metadata?: unknown;
  };
  const isOfClient = $metadata !== undefined || name === "CredentialsProviderError";
  const { code = "" } = fault as NodeJS.ErrnoException;
  if (!isOfClient && !/^(?:ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE)/.test(code)) return fault;
  return new UsageError(
    `the object store refused: ${printable(`${name ?? ""} ${message ?? ""}`.trim())}; called again, upload goes on where it stopped`,
    fault,
  );
}
