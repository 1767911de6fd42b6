/** The body of a response; a stream, which has no length and may never end by itself, breaks off at the signal. */
export const bodyUntil = (signal: AbortSignal, { body, headers }: Response): ReadableStream<Uint8Array> | null =>
  body === null || headers.has("content-length") ? body : body.pipeThrough(new TransformStream(), { signal })
