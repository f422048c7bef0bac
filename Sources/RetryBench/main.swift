import SystemKit

Program.end(Bench.run(arguments: Arguments.all))
