private import CTOML

/// Why a file is not TOML, and where.
package struct TOMLError: Error, Hashable, Sendable {
    package var file: String
    package var line: Int
    package var column: Int
    package var message: String

    package init(file: String, line: Int, column: Int, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }
}

/// A parsed TOML file.
package struct TOMLDocument: Hashable, Sendable {
    package var file: String
    package var root: TOMLTable

    /// Parses the text of a file.
    ///
    /// - Parameter file: Its name, for errors only; nothing is read.
    package static func parse(_ bytes: [UInt8], file: String) throws(TOMLError) -> TOMLDocument {
        guard let document = parsed(bytes) else {
            throw TOMLError(file: file, line: 1, column: 1, message: "no memory to read it")
        }
        defer { CTOML_free(document) }
        var line: UInt32 = 0
        var column: UInt32 = 0
        if let message = CTOML_error(document, &line, &column) {
            throw TOMLError(
                file: file, line: Int(line), column: Int(column),
                message: String(cString: message))
        }
        var reader = NodeReader(document)
        return TOMLDocument(file: file, root: reader.readValue().table ?? TOMLTable())
    }

    private static func parsed(_ bytes: [UInt8]) -> OpaquePointer? {
        bytes.withUnsafeBytes { buffer in
            // An empty array has no base address.
            guard let base = buffer.baseAddress else { return CTOML_parse("", 0) }
            return CTOML_parse(base.assumingMemoryBound(to: CChar.self), buffer.count)
        }
    }
}

/// Turns the flat list of nodes back into a tree.
private struct NodeReader {
    private let nodes: UnsafeBufferPointer<CTOML_node>
    private var index = 0

    init(_ document: OpaquePointer) {
        var count = 0
        let base = CTOML_nodes(document, &count)
        nodes = UnsafeBufferPointer(start: base, count: count)
    }

    mutating func readValue() -> TOMLValue {
        let node = nodes[index]
        index += 1
        let position = TOMLPosition(line: Int(node.line), column: Int(node.column))
        return TOMLValue(readContent(node), at: position)
    }

    private mutating func readContent(_ node: CTOML_node) -> TOMLValue.Content {
        switch Int(node.kind) {
        case CTOML_TABLE:
            return .table(readTable(node.count))
        case CTOML_ARRAY:
            var elements: [TOMLValue] = []
            elements.reserveCapacity(Int(node.count))
            for _ in 0..<node.count { elements.append(readValue()) }
            return .array(elements)
        case CTOML_STRING:
            return .string(text(node.text, node.text_length))
        case CTOML_INTEGER:
            return .integer(node.integer)
        case CTOML_DOUBLE:
            return .double(node.number)
        case CTOML_BOOL:
            return .bool(node.integer != 0)
        case CTOML_DATE:
            return .date(text(node.text, node.text_length))
        case let kind:
            fatalError("CTOML gave a node of unknown kind \(kind)")
        }
    }

    private mutating func readTable(_ count: UInt32) -> TOMLTable {
        var table = TOMLTable()
        table.entries.reserveCapacity(Int(count))
        for _ in 0..<count {
            let node = nodes[index]
            let key = text(node.key, node.key_length)
            let position = TOMLPosition(line: Int(node.key_line), column: Int(node.key_column))
            table.entries.append(
                TOMLTable.Entry(key: key, keyPosition: position, value: readValue()))
        }
        return table
    }

    private func text(_ base: UnsafePointer<CChar>?, _ length: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: base, count: length), as: UTF8.self)
    }
}
