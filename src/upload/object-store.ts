import { createHash } from "node:crypto";
import type { S3Module } from "./load-s3.ts";

/** Where objects go. */
export interface ObjectStoreOptions {
  readonly s3: S3Module;
  readonly bucket: string;
  /** Another server than Amazon's; buckets are then a part of the path. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
}

/** What a server knows of an object. */
export interface StoredObject {
  readonly bytes: number;
  /** SHA-256 of the whole, hexadecimal, as it was written beside the object. */
  readonly sha256: string | undefined;
  /** Base 64 of SHA-256; of an object in parts, that of the digests of all parts, and how many there are. */
  readonly checksum: string | undefined;
}

/** A part of an object that is not complete yet. */
export interface StoredPart {
  readonly number: number;
  readonly etag: string;
  readonly bytes: number;
  readonly checksum: string | undefined;
}

const DEFAULT_REGION = "us-east-1";

/** The calls of S3 that an upload needs, and no more. Every body is sent with its digest, which the server compares. */
export class ObjectStore {
  readonly #s3: S3Module;
  readonly #client: InstanceType<S3Module["S3Client"]>;
  readonly #bucket: string;

  constructor({ s3, bucket, endpoint, region }: ObjectStoreOptions) {
    this.#s3 = s3;
    this.#bucket = bucket;
    this.#client = new s3.S3Client({
      region: region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? DEFAULT_REGION,
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    });
  }

  /** Undefined when there is no such object. */
  async find(key: string): Promise<StoredObject | undefined> {
    try {
      const found = await this.#client.send(
        new this.#s3.HeadObjectCommand({ ...this.#at(key), ChecksumMode: "ENABLED" }),
      );
      return {
        bytes: found.ContentLength ?? 0,
        sha256: found.Metadata?.sha256,
        checksum: found.ChecksumSHA256,
      };
    } catch (fault) {
      if ((fault as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404)
        return undefined;
      throw fault;
    }
  }

  async put(key: string, body: Uint8Array, sha256: Buffer): Promise<void> {
    await this.#client.send(
      new this.#s3.PutObjectCommand({
        ...this.#at(key),
        Body: body,
        ContentLength: body.length,
        ChecksumSHA256: sha256.toString("base64"),
        Metadata: { sha256: sha256.toString("hex") },
      }),
    );
  }

  /** SHA-256 of what the server gives back, for servers that keep no digests. */
  async read(key: string): Promise<Buffer> {
    const { Body } = await this.#client.send(new this.#s3.GetObjectCommand(this.#at(key)));
    const hash = createHash("sha256");
    for await (const piece of Body as AsyncIterable<Uint8Array>) hash.update(piece);
    return hash.digest();
  }

  /** An upload in parts that was begun for this key and not completed, the newest one. */
  async unfinished(key: string): Promise<string | undefined> {
    const { Uploads = [] } = await this.#client.send(
      new this.#s3.ListMultipartUploadsCommand({ Bucket: this.#bucket, Prefix: key }),
    );
    const own = Uploads.filter((upload) => upload.Key === key);
    own.sort((a, b) => (b.Initiated?.getTime() ?? 0) - (a.Initiated?.getTime() ?? 0));
    return own[0]?.UploadId;
  }

  async begin(key: string, sha256: string): Promise<string> {
    const { UploadId } = await this.#client.send(
      new this.#s3.CreateMultipartUploadCommand({
        ...this.#at(key),
        ChecksumAlgorithm: "SHA256",
        Metadata: { sha256 },
      }),
    );
    return UploadId!;
  }

  /** The parts that the server has. */
  async parts(key: string, upload: string): Promise<Map<number, StoredPart>> {
    const found = new Map<number, StoredPart>();
    let marker: string | undefined;
    do {
      const page = await this.#client.send(
        new this.#s3.ListPartsCommand({
          ...this.#at(key),
          UploadId: upload,
          ...(marker === undefined ? {} : { PartNumberMarker: marker }),
        }),
      );
      for (const part of page.Parts ?? [])
        found.set(part.PartNumber!, {
          number: part.PartNumber!,
          etag: part.ETag ?? "",
          bytes: part.Size ?? 0,
          checksum: part.ChecksumSHA256,
        });
      marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (marker !== undefined);
    return found;
  }

  async putPart(
    key: string,
    upload: string,
    number: number,
    body: Uint8Array,
    checksum: string,
  ): Promise<StoredPart> {
    const { ETag } = await this.#client.send(
      new this.#s3.UploadPartCommand({
        ...this.#at(key),
        UploadId: upload,
        PartNumber: number,
        Body: body,
        ContentLength: body.length,
        ChecksumSHA256: checksum,
      }),
    );
    return { number, etag: ETag ?? "", bytes: body.length, checksum };
  }

  async complete(key: string, upload: string, parts: readonly StoredPart[]): Promise<void> {
    await this.#client.send(
      new this.#s3.CompleteMultipartUploadCommand({
        ...this.#at(key),
        UploadId: upload,
        MultipartUpload: {
          Parts: parts.map(({ number, etag, checksum }) => ({
            PartNumber: number,
            ETag: etag,
            ChecksumSHA256: checksum,
          })),
        },
      }),
    );
  }

  async abandon(key: string, upload: string): Promise<void> {
    await this.#client.send(
      new this.#s3.AbortMultipartUploadCommand({ ...this.#at(key), UploadId: upload }),
    );
  }

  close(): void {
    this.#client.destroy();
  }

  #at(key: string) {
    return { Bucket: this.#bucket, Key: key };
  }
}
