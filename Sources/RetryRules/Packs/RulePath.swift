/// Where a fact stands in a failure document: `http.headers.retry-after`.
///
/// Segments are separated by dots; one that holds a dot is written in double quotes.
struct RulePath: Hashable, Sendable {
    var segments: [String]

    init(segments: [String]) {
        self.segments = segments
    }

    /// Reads a dotted path; nil where a segment is empty or a quote is not closed.
    init?(_ text: String) {
        segments = []
        var segment = ""
        var isQuoted = false
        var wasQuoted = false
        for character in text {
            if character == "\"" {
                isQuoted.toggle()
                wasQuoted = true
            } else if character == ".", !isQuoted {
                guard !segment.isEmpty || wasQuoted else { return nil }
                segments.append(segment)
                segment = ""
                wasQuoted = false
            } else {
                segment.append(character)
            }
        }
        guard !isQuoted, !segment.isEmpty || wasQuoted else { return nil }
        segments.append(segment)
    }

    var text: String {
        segments.map { segment in segment.contains(".") ? "\"\(segment)\"" : segment }
            .joined(separator: ".")
    }

    func appending(_ other: RulePath) -> RulePath {
        RulePath(segments: segments + other.segments)
    }
}
