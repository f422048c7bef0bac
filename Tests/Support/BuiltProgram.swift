package import SystemKit

/// The programs of this package as the test run built them.
package enum BuiltProgram {
    /// The path of a program: it lies beside the bundle of the tests.
    package static func path(_ name: String) -> String {
        "\(directory)/\(name)"
    }

    private static var directory: String {
        (Executable.path ?? "").split(separator: "/").dropLast().map { "/" + $0 }.joined()
    }

    /// The tree these tests belong to.
    package static let tree = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }
        .joined()

    /// Whether other users can be played: only root may.
    package static var isRoot: Bool { Credentials.effectiveUser == 0 }
}

/// A program that was run to its end, with what it wrote.
package struct FinishedProgram: Sendable, CustomStringConvertible {
    package let end: ProcessEnd
    package let output: String
    package let errors: String

    package var description: String { "\(end)\n\(output)\(errors)" }

    /// Runs a program and waits for its end.
    ///
    /// - Parameter input: What it reads on standard input; nil: /dev/null.
    package static func run(
        _ arguments: [String], variables: [(name: String, value: String?)] = [],
        input: [UInt8]? = nil
    ) throws -> FinishedProgram {
        let inputFile = try MemoryFile.make(named: "input", input ?? [])
        let output = try MemoryFile.make(named: "output", [])
        let errors = try MemoryFile.make(named: "errors", [])
        let child = try ChildProcess.start(
            arguments, variables: variables,
            input: input == nil ? .null : .descriptor(inputFile.rawValue),
            output: .descriptor(output.rawValue), error: .descriptor(errors.rawValue))
        let end = child.wait()
        return FinishedProgram(
            end: end, output: try text(of: output.rawValue), errors: try text(of: errors.rawValue))
    }

    private static func text(of file: Int32) throws -> String {
        let bytes = try Files.readAll("/proc/self/fd/\(file)", bytesMax: 64 << 20)
        return String(decoding: bytes, as: UTF8.self)
    }
}
