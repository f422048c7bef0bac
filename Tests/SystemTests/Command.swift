import Support
import SystemKit

/// A program's end: exit status and what it wrote.
struct Outcome: CustomStringConvertible {
    var command: String
    var status: Int32
    var output: String
    var errors: String

    var lines: [Substring] { output.split(separator: "\n") }

    var description: String { "\(command): status \(status)\n\(output)\(errors)" }
}

/// Runs a program to its end. One that a signal ended has the status a shell would give it.
func execute(_ program: String, _ arguments: [String]) throws -> Outcome {
    let command = [program] + arguments
    let finished = try FinishedProgram.run(command)
    let status =
        switch finished.end {
        case .exited(let code): code
        case .killed(let signal, _): 128 + signal.rawValue
        }
    return Outcome(
        command: command.joined(separator: " "), status: status, output: finished.output,
        errors: finished.errors)
}

/// The tree these tests belong to.
enum Tree {
    static let root = BuiltProgram.tree

    /// A box boots as root only, and installs what `make` built.
    static let canBoot =
        BuiltProgram.isRoot
        && ["retryd", "retryctl", "retryd-exec"].allSatisfy { program in
            (try? Files.status("\(root)/.build/release/\(program)")) != nil
        }
}
