import RetryCLI
import SystemKit

Program.end(CommandLineTool.main())
