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
    // Files take any amount; a pipe that nobody empties would stop the program.
    let output = try MemoryFile.make(named: "output", [])
    let errors = try MemoryFile.make(named: "errors", [])
    let child = try ChildProcess.start(
        [program] + arguments, input: .null, output: .descriptor(output.rawValue),
        error: .descriptor(errors.rawValue))
    let status =
        switch child.wait() {
        case .exited(let code): code
        case .killed(let signal, _): 128 + signal.rawValue
        }
    return Outcome(
        command: ([program] + arguments).joined(separator: " "), status: status,
        output: try text(output.rawValue), errors: try text(errors.rawValue))
}

/// All that was written to a descriptor, from the beginning.
private func text(_ descriptor: Int32) throws -> String {
    let bytes = try Files.readAll("/proc/self/fd/\(descriptor)", bytesMax: 64 << 20)
    return String(decoding: bytes, as: UTF8.self)
}

/// The tree these tests belong to.
enum Tree {
    static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// A box boots as root only, and installs what `make` built.
    static let canBoot =
        Credentials.effectiveUser == 0
        && ["retryd", "retryctl", "retryd-exec"].allSatisfy { program in
            (try? Files.status("\(root)/.build/release/\(program)")) != nil
        }
}
