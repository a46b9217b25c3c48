/** An event that contradicts those before it. A gap in what was received has no effect; a done of an unknown URL makes it known. */
export type Contradiction =
  | {
      readonly kind: "gap" | "outbox-gap";
      readonly shard: number;
      readonly epoch: number;
      readonly number: number;
      readonly reached: number;
    }
  | { readonly kind: "unknown-url"; readonly low: number; readonly high: number };
