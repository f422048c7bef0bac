import Foundation

/// A program's end: exit status and what it wrote.
struct Outcome: CustomStringConvertible {
    var command: String
    var status: Int32
    var output: String
    var errors: String

    var lines: [Substring] { output.split(separator: "\n") }

    var description: String { "\(command): status \(status)\n\(output)\(errors)" }
}

/// Runs a program to its end.
func execute(_ program: String, _ arguments: [String]) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    // Files take any amount; a pipe that nobody empties would stop the program.
    let directory = FileManager.default.temporaryDirectory
    let base = directory.appendingPathComponent("retryd-test-\(UUID().uuidString)")
    let files = [base.appendingPathExtension("out"), base.appendingPathExtension("err")]
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    return Outcome(
        command: ([program] + arguments).joined(separator: " "), status: process.terminationStatus,
        output: String(decoding: try Data(contentsOf: files[0]), as: UTF8.self),
        errors: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self))
}

/// The tree these tests belong to.
enum Tree {
    static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// A box boots as root only, and installs what `make` built.
    static let canBoot =
        geteuid() == 0
        && FileManager.default.isExecutableFile(atPath: root + "/.build/release/retryd")
}
