import SystemKit
import Testing

/// A file of the tree, as the checks look at it.
struct SourceFile: Sendable {
    /// From the top of the tree: "Sources/JSON/JSONText.swift".
    let path: String
    let lines: [String]
    /// The same lines of a Swift file with comments and the content of string literals blanked out,
    /// so that only code is left. Columns stay where they are.
    let code: [String]

    init(path: String, text: String) {
        self.path = path
        lines = SourceFile.split(text)
        code = path.hasSuffix(".swift") ? SourceFile.split(SwiftText.codeAlone(text)) : []
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isSource: Bool { path.hasPrefix("Sources/") }

    /// The target a file belongs to: the directory below Sources or Tests.
    var target: String {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : ""
    }

    /// "JSONText" of "Sources/JSON/JSONText.swift".
    var baseName: String {
        let name = path.split(separator: "/").last ?? ""
        return String(name.prefix { $0 != "." })
    }

    /// Where a line is, as compilers write it.
    func place(_ index: Int) -> String { "\(path):\(index + 1)" }

    /// Whether a reason stands right above a line.
    func hasCommentAbove(_ index: Int) -> Bool {
        index > 0 && lines[index - 1].trimmed.hasPrefix("//")
    }

    private static func split(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

/// The tree that this file lies in.
enum Tree {
    static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// Everything written by hand, in the order of paths.
    static let files: [SourceFile] = {
        var files: [SourceFile] = []
        let places = [
            "Sources", "Tests", "systemd", "config", "docs", ".ci", "Package.swift", "Makefile",
            "README.md", ".swift-format", ".editorconfig",
        ]
        for place in places { add(place, to: &files) }
        return files
    }()

    static let swiftFiles = files.filter(\.isSwift)
    static let swiftSources = swiftFiles.filter(\.isSource)

    private static func add(_ path: String, to files: inout [SourceFile]) {
        let full = root + "/" + path
        guard let kind = (try? Files.status(full, followLinks: false))?.kind else { return }
        if kind == .directory {
            for name in (try? Files.list(full)) ?? [] where name != "__pycache__" {
                add(path + "/" + name, to: &files)
            }
        } else if kind == .file, let bytes = try? Files.readAll(full, bytesMax: 16 << 20) {
            files.append(SourceFile(path: path, text: String(decoding: bytes, as: UTF8.self)))
        }
    }
}

/// Records everything a check found as one issue, a line each.
func expectNone(_ problems: [String], _ location: SourceLocation = #_sourceLocation) {
    if problems.isEmpty { return }
    Issue.record("\n\(problems.joined(separator: "\n"))", sourceLocation: location)
}

extension StringProtocol {
    /// Without the spaces around it.
    var trimmed: SubSequence {
        var text = self[...]
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
