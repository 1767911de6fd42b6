/** The reference server as a program: `serve(yield* readSettings({}), process.env)`. */
export { serve } from "./Serve.ts"
export { environmentProvider, type Flags, readSettings, type Settings } from "./Settings.ts"
export { StartFailure } from "./StartFailure.ts"
