import { Schema } from "effect"

/** The store could not do it, and surely wrote nothing. */
export class StorageError extends Schema.TaggedError<StorageError>()("pointsman/StorageError", {
  operation: Schema.String,
  cause: Schema.Defect()
}) {}

/** The store may have written it: the connection was lost while it committed. Read again before going on. */
export class CommitUnknown extends Schema.TaggedError<CommitUnknown>()("pointsman/CommitUnknown", {
  operation: Schema.String,
  cause: Schema.Defect()
}) {}
