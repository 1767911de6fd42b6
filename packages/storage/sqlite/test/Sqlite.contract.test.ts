import { storageSuite } from "@pointsman/contracts/storage"
import { layer } from "@pointsman/storage-sqlite"
import { Effect, Layer } from "effect"
import { newFile } from "./Given.ts"

storageSuite("sqlite in a file", Layer.unwrap(Effect.map(newFile, (filename) => layer({ filename }))))
// It differs in the file alone.
if (process.env["POINTSMAN_RACES"] === "all") storageSuite("sqlite in memory", layer({ filename: ":memory:" }))
