import RetryExec
import SystemKit

Program.end(Exec.run(arguments: Arguments.all))
