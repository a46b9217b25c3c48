import { fileURLToPath } from "node:url";
import { UsageError } from "../errors.ts";

type Grpc = typeof import("@grpc/grpc-js");
type ProtoLoader = typeof import("@grpc/proto-loader");

/** gRPC and the description of the service, loaded when they are needed. */
export interface LoadedGrpc {
  readonly grpc: Grpc;
  readonly service: import("@grpc/grpc-js").ServiceDefinition;
  /** The service and all its messages. */
  readonly definition: import("@grpc/proto-loader").PackageDefinition;
}

/** Loads the packages, which are optional, and reads urlfrontier.proto. */
export async function loadGrpc(
  load: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<LoadedGrpc> {
  let grpc: Grpc;
  let loader: ProtoLoader;
  try {
    grpc = (await load("@grpc/grpc-js")) as Grpc;
    loader = (await load("@grpc/proto-loader")) as ProtoLoader;
  } catch (fault) {
    throw new UsageError(
      "the URLFrontier API needs two packages that are not installed: npm install @grpc/grpc-js @grpc/proto-loader",
      fault,
    );
  }
  const proto = fileURLToPath(new URL("urlfrontier.proto", import.meta.url));
  const definition = loader.loadSync(proto, {
    keepCase: true,
    longs: String,
    enums: String,
    defaults: true,
    oneofs: false,
  });
  const service = definition["urlfrontier.URLFrontier"];
  return { grpc, definition, service: service as LoadedGrpc["service"] };
}
