/** Starts the server for the extension of VS Code, without the command line around it. */
import { serveStdio } from './stdio.ts'

serveStdio()
