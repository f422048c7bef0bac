import CLinux
import Glibc

/// The process that runs one command and outlives the program that asked for it, so that a restart
/// of the one does not end the other.
///
/// It is made by fork(2) without exec, and all it does is in C (CLinux/Runner.c): fork copies the
/// calling thread only, so the program must have no other, and Swift's runtime is not made for it.
package enum CommandRunner {
    /// What to run, as whom, and where to leave word.
    package struct Order: Sendable {
        /// The program, looked for in the environment's PATH, and its arguments.
        package var arguments: [String]
        /// "NAME=value".
        package var environment: [String]
        package var directory: String
        /// Whether / will do when the directory cannot be entered.
        package var directoryIsWish = false
        package var umask: UInt32 = 0o022
        /// Nil: who this process is.
        package var identity: Identity?
        /// Descriptor of standard input; nil: /dev/null.
        package var input: Int32?
        /// Descriptors that output and error are written to; they may be the same.
        package var output: Int32
        package var error: Int32
        /// Nil: the command may take as long as it wants.
        package var timeoutMs: Int64?
        /// From SIGTERM to SIGKILL when it is stopped.
        package var killAfterMs: Int64
        package var files: Files

        package init(
            arguments: [String], environment: [String], directory: String, output: Int32,
            error: Int32, killAfterMs: Int64, files: Files
        ) {
            self.arguments = arguments
            self.environment = environment
            self.directory = directory
            self.output = output
            self.error = error
            self.killAfterMs = killAfterMs
            self.files = files
        }
    }

    /// Who a command runs as.
    package struct Identity: Hashable, Sendable {
        package var user: UInt32
        package var group: UInt32
        /// Supplementary ones; setgroups(2) makes them all there are.
        package var groups: [UInt32]

        package init(user: UInt32, group: UInt32, groups: [UInt32]) {
            self.user = user
            self.group = group
            self.groups = groups
        }
    }

    /// Where a runner leaves word: absolute paths, for it works in the root directory. It removes
    /// all where it ends without a result.
    package struct Files: Hashable, Sendable {
        /// The caller's own.
        package var state: String
        /// `CommandMark`, as soon as the command exists.
        package var command: String
        /// `RunnerResult`, at its end.
        package var result: String

        package init(state: String, command: String, result: String) {
            self.state = state
            self.command = command
            self.result = result
        }
    }

    /// A runner that waits for its start.
    package struct Waiting: ~Copyable {
        package let process: Int32
        /// A byte written to it starts the command. Closed without one it ends the runner, so that
        /// a crash before the start leaves nothing behind.
        package let start: OwnedFD

        package consuming func takeStart() -> OwnedFD { start }
    }

    /// Makes a runner, a child of this process, which waits.
    ///
    /// SIGTERM to it stops its command and ends it without a result. When there is a result it
    /// stays until SIGUSR1 says that it was taken, or the file is gone.
    package static func make(_ order: Order) throws(SystemError) -> Waiting {
        precondition(!order.arguments.isEmpty, "a program has a name")
        var start: Int32 = -1
        let made = withCOrder(order) { order in
            // A copy of this process is made: it sees the strings as they are now.
            Syscalls.uninterrupted { CLinux_start_runner(&order, &start) }
        }
        if made.value < 0 { throw Syscalls.failure(made.code, "make a process for a command") }
        return Waiting(process: made.value, start: OwnedFD(adopting: start))
    }

    private static func withCOrder<Result>(
        _ order: Order, _ body: (inout CLinux_RunnerOrder) -> Result
    ) -> Result {
        withCStrings(order.arguments) { arguments in
            withCStrings(order.environment) { environment in
                let texts = [
                    order.directory, order.files.state, order.files.command, order.files.result,
                ]
                return withCStrings(texts) { texts in
                    var made = CLinux_RunnerOrder()
                    made.arguments = arguments
                    made.environment = environment
                    made.directory = UnsafePointer(texts[0])
                    made.directory_is_wish = order.directoryIsWish
                    made.umask = order.umask
                    made.input = order.input ?? -1
                    made.output = order.output
                    made.error = order.error
                    made.timeout_ms = order.timeoutMs ?? 0
                    made.kill_after_ms = order.killAfterMs
                    made.state_file = UnsafePointer(texts[1])
                    made.command_file = UnsafePointer(texts[2])
                    made.result_file = UnsafePointer(texts[3])
                    guard let identity = order.identity else { return body(&made) }
                    made.switches_user = true
                    made.user = identity.user
                    made.group = identity.group
                    made.group_count = identity.groups.count
                    return identity.groups.withUnsafeBufferPointer { groups in
                        made.groups = groups.baseAddress
                        return body(&made)
                    }
                }
            }
        }
    }
}
