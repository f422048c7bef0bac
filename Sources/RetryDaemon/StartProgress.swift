/// What the service manager is told while a start takes long, so that a slow disk is no failed
/// start: a sentence, and a request to wait on (sd_notify(3), EXTEND_TIMEOUT_USEC=).
final class StartProgress {
    /// For opening the store. A newer version copies all of it before it changes anything.
    static let openingUsec: Int64 = 600_000_000
    /// From one sentence about reading to the next: so long may a single read hang.
    static let readingUsec: Int64 = 60_000_000
    /// Sentences come no more often than that.
    static let pauseUsec: Int64 = 1_000_000
    /// Operations between looks at the clock.
    static let lookEvery = 256

    private let path: String
    private var toldAtUsec: Int64

    /// - Parameter startUsec: When reading began.
    init(reading path: String, startUsec: Int64) {
        self.path = path
        toldAtUsec = startUsec
    }

    static func opening(_ path: String) -> String { "Opening \(path)" }

    /// Said at the beginning, before anything is read.
    var beginning: String { "Reading \(path)" }

    /// - Returns: What is to be told now; nil: something was just now.
    func sentence(read count: Int, atUsec nowUsec: Int64) -> String? {
        guard nowUsec - toldAtUsec >= StartProgress.pauseUsec else { return nil }
        toldAtUsec = nowUsec
        return "Reading \(path): \(grouped(count)) operations so far"
    }
}
