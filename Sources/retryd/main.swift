import RetryDaemon
import SystemKit

Program.end(Daemon.run(arguments: Arguments.all))
