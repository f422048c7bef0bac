import SystemKit
import Testing

@Suite
struct ExecutableTests {
    @Test
    func namesAFileThatIsThere() throws {
        let path = try #require(Executable.path)
        #expect(path.first == "/")
        #expect(try Files.status(path)?.kind == .file)
    }
}
