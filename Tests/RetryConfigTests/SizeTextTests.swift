import Testing

@testable import RetryConfig

@Suite
struct SizeTextTests {
    @Test(arguments: [
        ("0", 0), ("1000", 1_000), ("1K", 1_024), ("256K", 262_144), ("3M", 3_145_728),
        ("1G", 1_073_741_824),
    ])
    func readsAndWrites(text: String, size: Int) {
        #expect(SizeText.parse(text) == size)
        #expect(SizeText.write(size) == text)
    }

    @Test(arguments: ["", "K", "-1K", "1.5M", "1k", "1KB", "9007199254740993G"])
    func refusesWhatIsNoSize(text: String) {
        #expect(SizeText.parse(text) == nil)
    }
}
