/** The worker that compiles and runs. Each module here answers requests of its own; a new one needs a line. */
import './run.ts'
import './train.ts'
import { listen } from './server.ts'

listen()
