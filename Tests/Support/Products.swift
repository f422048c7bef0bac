import SystemKit

/// The programs that were built together with the tests.
package enum Products {
    /// Tests and programs are built into one directory, and the test bundle is the program that
    /// runs.
    private static let directory = (Executable.path ?? "").split(separator: "/").dropLast()
        .map { "/\($0)" }.joined()

    package static func path(of name: String) -> String { "\(directory)/\(name)" }
}
