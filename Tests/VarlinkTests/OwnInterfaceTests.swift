import SystemKit
import Testing
import Varlink

/// The interface the daemon serves, as it lies in the tree.
@Suite struct OwnInterfaceTests {
    private func definition() throws -> InterfaceDefinition {
        let tests = #filePath.utf8.split(separator: UInt8(ascii: "/")).dropLast(3)
        let root =
            "/"
            + tests.map { String(decoding: Array($0), as: UTF8.self) }
            .joined(separator: "/")
        let bytes = try Files.readAll(
            "\(root)/Sources/RetryDaemon/io.retryd.varlink", bytesMax: 1 << 20)
        return try InterfaceDefinition(parsing: String(decoding: bytes, as: UTF8.self))
    }

    @Test func isADefinition() throws {
        let definition = try definition()
        #expect(definition.name == "io.retryd")
        let expected = [
            "Submit", "SubmitMany", "Lease", "Extend", "Report", "Release", "Get", "List", "Why",
            "History", "Cancel", "Retry", "SetSignal", "ListSignals", "Status", "Watch", "Reload",
        ]
        #expect(Set(expected).subtracting(definition.methods.map(\.name)).isEmpty)
        let errors = Set(definition.errors.map(\.name))
        #expect(errors.isSuperset(of: ["NoSuchOperation", "StaleLease", "QuotaExceeded"]))
    }

    @Test func everythingIsDocumented() throws {
        let definition = try definition()
        #expect(definition.documentation.isEmpty == false)
        for method in definition.methods where method.documentation.isEmpty {
            // Its name says it all.
            #expect(["Why", "ListSignals"].contains(method.name), "\(method.name)")
        }
        for error in definition.errors {
            #expect(error.documentation.isEmpty == false, "\(error.name)")
        }
    }
}
