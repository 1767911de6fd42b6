/**
 * The stack of an error as the caller of this package needs it. A failure arises in a fiber, whose stack names only files
 * of the bundle; the async function that rejects is resumed with the frames of those who await it.
 */

/**
 * Replaces the stack by that of who awaits `called`, the async function that is running. Where nobody awaits it in an
 * async function (`.then`), there are no such frames, and the stack stays.
 */
export const atCaller = (error: unknown, called: (...args: Array<never>) => unknown): unknown => {
  if (!(error instanceof Error)) return error
  const { stack } = error
  Error.captureStackTrace(error, called)
  if (stack !== undefined && error.stack?.includes("\n    at ") !== true) error.stack = stack
  return error
}
