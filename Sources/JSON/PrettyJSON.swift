/// Makes a finished JSON text readable: one member a line, two spaces for each level.
public enum PrettyJSON {
    /// - Parameter compact: A text as `JSONWriter` writes it. Space between its values is dropped.
    public static func indent(_ compact: some Collection<UInt8>) -> [UInt8] {
        var pretty: [UInt8] = []
        pretty.reserveCapacity(compact.count * 2)
        var depth = 0
        var isInString = false
        var isEscaped = false
        /// A container was just opened: whether it is empty, the next byte tells.
        var isOpen = false
        for byte in compact {
            if isInString {
                pretty.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                continue
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if !isOpen { breakLine(&pretty, depth) }
                pretty.append(byte)
                isOpen = false
                continue
            default:
                if isOpen { breakLine(&pretty, depth) }
                isOpen = false
            }
            pretty.append(byte)
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isOpen = true
            case UInt8(ascii: ","): breakLine(&pretty, depth)
            case UInt8(ascii: ":"): pretty.append(UInt8(ascii: " "))
            case UInt8(ascii: "\""): isInString = true
            default: break
            }
        }
        return pretty
    }

    private static func breakLine(_ pretty: inout [UInt8], _ depth: Int) {
        pretty.append(UInt8(ascii: "\n"))
        for _ in 0..<(2 * depth) { pretty.append(UInt8(ascii: " ")) }
    }
}
