/// Whole numbers as decimal digits.
@usableFromInline
enum Decimal {
    /// A sign and the digits of 2^63.
    @usableFromInline static var bytesMax: Int { 20 }

    /// "00" to "99" behind each other: two digits for one division.
    private static let pairs: StaticString = """
        00010203040506070809101112131415161718192021222324252627282930313233343536373839\
        40414243444546474849505152535455565758596061626364656667686970717273747576777879\
        8081828384858687888990919293949596979899
        """

    /// Writes a number and tells how many bytes it took, at most `bytesMax`.
    @usableFromInline
    static func write(_ value: Int64, to end: UnsafeMutablePointer<UInt8>) -> Int {
        var rest = value.magnitude
        var start = 0
        if value < 0 {
            end[0] = 0x2D
            start = 1
        }
        let length = start + digits(rest)
        let pairs = Self.pairs.utf8Start
        var place = length
        while rest >= 100 {
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            place -= 2
            end[place] = pairs[Int(pair) * 2]
            end[place + 1] = pairs[Int(pair) * 2 + 1]
            rest = quotient
        }
        if rest >= 10 {
            end[place - 2] = pairs[Int(rest) * 2]
            end[place - 1] = pairs[Int(rest) * 2 + 1]
        } else {
            end[place - 1] = 0x30 + UInt8(truncatingIfNeeded: rest)
        }
        return length
    }

    private static func digits(_ value: UInt64) -> Int {
        var rest = value
        var count = 0
        while rest >= 10_000 {
            rest /= 10_000
            count += 4
        }
        if rest < 10 { return count + 1 }
        if rest < 100 { return count + 2 }
        return rest < 1_000 ? count + 3 : count + 4
    }
}
