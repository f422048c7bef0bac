import JSON
import RetryModel
import Varlink

struct RecoverParameters {
    var id: OperationID
    /// The name of an option; nil: they are only to be told.
    var option: String?
    var language: String?

    init(_ call: Call) throws(ServiceError) {
        var id: OperationID?
        for member in call.members {
            switch member.name {
            case "id": id = try Decode.operationID(member)
            case "option": option = try Decode.name(member)
            case "language": language = try Decode.name(member)
            default: throw Decode.unknown(member)
            }
        }
        guard let id else { throw Decode.missing("id") }
        self.id = id
    }
}

/// Nothing in it is a view on the call: it is carried out when something was read.
struct ResolveParameters {
    var id: OperationID
    /// Of it, payload alone.
    var operation = OperationParameters()
    /// The text of the failure document; nil: the new flow was not tried yet.
    var failure: [UInt8]?
    var language: String?

    init(_ call: Call) throws(ServiceError) {
        var id: OperationID?
        for member in call.members {
            switch member.name {
            case "id": id = try Decode.operationID(member)
            case "payload": operation.payload = member.value.isNull ? nil : member.value
            case "payload_base64":
                operation.payloadBase64 = try Decode.text(member, bytesMax: .max)
            case "failure":
                guard let document = try Decode.object(member) else { break }
                var writer = JSONWriter()
                writer.value(document)
                failure = writer.bytes
            case "language": language = try Decode.name(member)
            default: throw Decode.unknown(member)
            }
        }
        guard let id else { throw Decode.missing("id") }
        self.id = id
        if operation.payload != nil, operation.payloadBase64 != nil {
            throw .invalidParameter("payload_base64", reason: "`payload` is given as well")
        }
    }
}
