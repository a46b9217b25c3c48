import { UsageError } from "../errors.ts";

/** The package that speaks to S3. */
export type S3Module = typeof import("@aws-sdk/client-s3");

/** Loads the client, which is optional. */
export async function loadS3(
  load: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<S3Module> {
  try {
    return (await load("@aws-sdk/client-s3")) as S3Module;
  } catch (fault) {
    throw new UsageError(
      "upload needs a package that is not installed: npm install @aws-sdk/client-s3",
      fault,
    );
  }
}
