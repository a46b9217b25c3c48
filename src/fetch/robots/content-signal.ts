const REFUSES_TRAINING = /(?:^|[\s,;])ai-train\s*=\s*no(?:$|[\s,;])/i;

/** Whether the Content-Signal lines of a robots.txt refuse the use of its content for training. */
export function isTrainingRefused(contentSignal: string | undefined): boolean {
  return contentSignal !== undefined && REFUSES_TRAINING.test(contentSignal);
}
