import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** An object, or an upload in parts. */
interface Stored {
  body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  checksum: string;
}

interface Multipart {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: Map<number, Stored>;
  readonly since: Date;
}

/** A little S3 on loopback: objects in memory, uploads in parts, digests compared, unsigned requests refused. */
export interface S3Server {
  readonly endpoint: string;
  readonly objects: Map<string, Stored>;
  readonly uploads: Map<string, Multipart>;
  /** "METHOD what", in order. */
  readonly asked: string[];
  /** Bodies from this number on are answered by a closed connection. */
  failFrom: number;
  /** Keeps no digests, as older servers. */
  forgetsDigests: boolean;
  /** Changes a byte of what is stored. */
  damages: boolean;
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
const etagOf = (bytes: Uint8Array) => `"${createHash("md5").update(bytes).digest("hex")}"`;

/** Starts the server; it ends with the test. */
export async function startS3(t: TestContext): Promise<S3Server> {
  const state: S3Server & { endpoint: string } = {
    endpoint: "",
    objects: new Map(),
    uploads: new Map(),
    asked: [],
    failFrom: Number.POSITIVE_INFINITY,
    forgetsDigests: false,
    damages: false,
  };
  let bodies = 0;
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (request.method === "PUT" && ++bodies >= state.failFrom) return request.socket.destroy();
    try {
      answer(state, request, body, response);
    } catch (fault) {
      response.writeHead(400).end(`<Error><Code>${(fault as Error).message}</Code></Error>`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  state.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function answer(
  state: S3Server,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  const { method = "", headers } = request;
  const url = new URL(request.url ?? "/", "http://s3");
  const key = decodeURIComponent(url.pathname).split("/").slice(2).join("/");
  const query = url.searchParams;
  const signature =
    /^AWS4-HMAC-SHA256 Credential=[^,]+, ?SignedHeaders=[^,]+, ?Signature=[0-9a-f]{64}$/;
  if (!signature.test(headers.authorization ?? "")) throw new Error("AccessDenied");
  const signed = String(headers["x-amz-content-sha256"] ?? "");
  if (/^[0-9a-f]{64}$/.test(signed) && signed !== sha256(body).toString("hex"))
    throw new Error("XAmzContentSHA256Mismatch");
  const uploadId = query.get("uploadId");
  state.asked.push(
    `${method} ${uploadId !== null ? "part " : query.has("uploads") ? "uploads " : ""}${key}`,
  );
  const kept = keptHeaders(headers);
  const checksum = String(headers["x-amz-checksum-sha256"] ?? "");
  if (method === "PUT" && checksum !== sha256(body).toString("base64"))
    throw new Error("BadDigest");
  const bytes = Buffer.from(body);
  if (method === "PUT" && state.damages && bytes.length > 0) bytes[0]! ^= 1;
  const stored = { body: bytes, headers: kept, checksum: sha256(bytes).toString("base64") };
  const xml = (text: string) =>
    response
      .writeHead(200, { "content-type": "application/xml" })
      .end(`<?xml version="1.0"?>${text}`);
  const digest = state.forgetsDigests ? "" : "yes";
  if (method === "PUT" && uploadId !== null) {
    state.uploads.get(uploadId)!.parts.set(Number(query.get("partNumber")), stored);
    response.writeHead(200, { etag: etagOf(bytes) }).end();
  } else if (method === "PUT") {
    state.objects.set(key, stored);
    response.writeHead(200, { etag: etagOf(bytes) }).end();
  } else if (method === "POST" && query.has("uploads")) {
    const id = randomUUID();
    state.uploads.set(id, { key, headers: kept, parts: new Map(), since: new Date() });
    xml(
      `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    );
  } else if (method === "POST" && uploadId !== null) {
    complete(state, uploadId, body.toString());
    xml("<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>");
  } else if (method === "GET" && query.has("uploads")) {
    const own = [...state.uploads].filter(([, each]) => each.key.startsWith(query.get("prefix")!));
    xml(
      `<ListMultipartUploadsResult>${own.map(([id, each]) => `<Upload><Key>${each.key}</Key><UploadId>${id}</UploadId><Initiated>${each.since.toISOString()}</Initiated></Upload>`).join("")}</ListMultipartUploadsResult>`,
    );
  } else if (method === "GET" && uploadId !== null) {
    const parts = [...state.uploads.get(uploadId)!.parts];
    xml(
      `<ListPartsResult><IsTruncated>false</IsTruncated>${parts.map(([n, part]) => `<Part><PartNumber>${n}</PartNumber><ETag>${etagOf(part.body)}</ETag><Size>${part.body.length}</Size>${digest && `<ChecksumSHA256>${part.checksum}</ChecksumSHA256>`}</Part>`).join("")}</ListPartsResult>`,
    );
  } else if (method === "HEAD" || method === "GET") {
    const found = state.objects.get(key);
    if (found === undefined) return void response.writeHead(404).end();
    response.writeHead(200, {
      ...found.headers,
      "content-length": String(found.body.length),
      ...(digest && { "x-amz-checksum-sha256": found.checksum }),
    });
    response.end(method === "GET" ? found.body : undefined);
  } else throw new Error("NotImplemented");
}

function complete(state: S3Server, id: string, wanted: string): void {
  const { key, headers, parts } = state.uploads.get(id)!;
  const numbers = [...wanted.matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, n]) =>
    Number(n),
  );
  const bodies = numbers.map((number) => parts.get(number)!.body);
  const digests = Buffer.concat(bodies.map((each) => sha256(each)));
  const checksum = `${sha256(digests).toString("base64")}-${bodies.length}`;
  state.objects.set(key, { body: Buffer.concat(bodies), headers, checksum });
  state.uploads.delete(id);
}

function keptHeaders(headers: IncomingMessage["headers"]): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-"));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}
