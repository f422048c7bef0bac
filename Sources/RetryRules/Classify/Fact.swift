import JSON

/// The value in a slot. Texts are views on the document or on the classifier's scratch memory.
struct Fact {
    enum Kind: UInt8 {
        case text, integer, double, bool, array, object
    }

    var kind: Kind
    var base: UnsafePointer<UInt8>
    var count: Int
    /// An integer, the bits of a double, or 0 or 1.
    var bits: Int64

    @inline(__always)
    init(kind: Kind, bits: Int64) {
        self.kind = kind
        base = Fact.nowhere
        count = 0
        self.bits = bits
    }

    @inline(__always)
    init(text base: UnsafePointer<UInt8>, count: Int) {
        kind = .text
        self.base = base
        self.count = count
        bits = 0
    }

    init(literal: StaticString) {
        self.init(text: literal.utf8Start, count: literal.utf8CodeUnitCount)
    }

    /// A scalar of a document; nil for null and, as `kind` alone tells about them, containers.
    @inline(__always)
    init?(scalar value: JSONValue) {
        switch value.kind {
        case .string:
            guard let text = value.text else { return nil }
            self.init(text: text.base, count: text.count)
        case .integer, .unsigned:
            if let integer = value.integer {
                self.init(kind: .integer, bits: integer)
            } else {
                self.init(double: value.double ?? 0)
            }
        case .double:
            self.init(double: value.double ?? 0)
        case .bool:
            self.init(kind: .bool, bits: value.bool == true ? 1 : 0)
        case .object, .array, .null:
            return nil
        }
    }

    init(double: Double) {
        self.init(kind: .double, bits: Int64(bitPattern: double.bitPattern))
    }

    var text: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

    var double: Double { Double(bitPattern: UInt64(bitPattern: bits)) }

    /// The value as a whole number: also a fraction without a fractional part and a text of
    /// digits, as header fields are texts.
    @inline(__always)
    var whole: Int64? {
        switch kind {
        case .integer: bits
        case .double: Int64(exactly: double)
        case .text: count <= 24 ? WaitText.whole(text) : nil
        case .bool, .array, .object: nil
        }
    }

    /// A place for texts that are none.
    static var nowhere: UnsafePointer<UInt8> {
        let empty: StaticString = ""
        return empty.utf8Start
    }
}

/// The slots of one classification: which are filled, and with what.
struct FactTable {
    let present: UnsafeMutablePointer<UInt64>
    let values: UnsafeMutablePointer<Fact>
    /// Arrays and objects; meaningful where the kind says so.
    let containers: UnsafeMutablePointer<JSONValue>
    let maskWords: Int
    let slotCount: Int

    static func allocate(slotCount: Int, maskWords: Int) -> FactTable {
        let table = FactTable(
            present: .allocate(capacity: maskWords), values: .allocate(capacity: slotCount),
            containers: .allocate(capacity: slotCount), maskWords: maskWords,
            slotCount: slotCount)
        table.present.initialize(repeating: 0, count: maskWords)
        table.values.initialize(repeating: Fact(kind: .bool, bits: 0), count: slotCount)
        return table
    }

    func deallocate() {
        // Facts and JSON values are plain memory: nothing to destroy.
        present.deallocate()
        values.deallocate()
        containers.deallocate()
    }

    @inline(__always)
    func clear() {
        for word in 0..<maskWords { present[word] = 0 }
    }

    @inline(__always)
    func has(_ slot: Int) -> Bool {
        present[slot >> 6] & (1 << UInt64(slot & 63)) != 0
    }

    @inline(__always)
    func mark(_ slot: Int) {
        present[slot >> 6] |= 1 << UInt64(slot & 63)
    }

    @inline(__always)
    func set(_ slot: Int, _ fact: Fact) {
        values[slot] = fact
        mark(slot)
    }

    @inline(__always)
    subscript(slot: Int) -> Fact? {
        has(slot) ? values[slot] : nil
    }

    /// Fills a slot from a document. What is there stays, and null is nothing.
    @inline(__always)
    func fill(_ slot: Int, _ value: JSONValue) {
        guard !has(slot) else { return }
        if let fact = Fact(scalar: value) {
            set(slot, fact)
        } else if !value.isNull {
            (containers + slot).initialize(to: value)
            set(slot, Fact(kind: value.kind == .array ? .array : .object, bits: 0))
        }
    }
}
