import { storageSuite } from "@pointsman/contracts/storage"
import { layer } from "@pointsman/storage-sqlite"

storageSuite("sqlite in memory", layer({ filename: ":memory:" }))
