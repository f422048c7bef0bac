/// An interface as its definition describes it (UAPI.20, "Interface Definition").
package struct InterfaceDefinition: Hashable, Sendable {
    /// In reverse-domain notation, e.g. `io.retryd`.
    package var name: String
    /// The comment before the interface, without its `#`; empty where there is none.
    package var documentation: String
    package var types: [TypeDefinition] = []
    package var methods: [Method] = []
    package var errors: [ErrorDefinition] = []

    /// A named structure or enumeration.
    package struct TypeDefinition: Hashable, Sendable {
        package var name: String
        package var documentation: String
        package var type: FieldType
    }

    /// What can be called, and what it answers.
    package struct Method: Hashable, Sendable {
        package var name: String
        package var documentation: String
        package var input: [Field]
        package var output: [Field]
    }

    /// What a call can fail with.
    package struct ErrorDefinition: Hashable, Sendable {
        package var name: String
        package var documentation: String
        package var fields: [Field]
    }

    /// A member of a structure or a parameter.
    package struct Field: Hashable, Sendable {
        package var name: String
        package var documentation: String
        package var type: FieldType
    }

    /// The type of a field.
    package indirect enum FieldType: Hashable, Sendable {
        case bool
        case int
        case float
        case string
        /// Any JSON object.
        case object
        /// Any JSON value but null.
        case any
        /// A type defined in the same interface.
        case named(String)
        case structure([Field])
        case enumeration([String])
        case array(FieldType)
        /// Values by name.
        case map(FieldType)
        /// May be null or absent.
        case nullable(FieldType)
    }
}

/// Where and why a text is not an interface definition.
package struct InterfaceError: Error, Hashable, Sendable {
    /// Counted from 1.
    package var line: Int
    /// In bytes, counted from 1.
    package var column: Int
    package var message: String
}

extension InterfaceError: CustomStringConvertible {
    package var description: String { "line \(line), column \(column): \(message)" }
}

extension InterfaceDefinition.FieldType: CustomStringConvertible {
    /// The type as it is written in a definition.
    package var description: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .string: "string"
        case .object: "object"
        case .any: "any"
        case .named(let name): name
        case .structure(let fields):
            "(" + fields.map(\.description).joined(separator: ", ") + ")"
        case .enumeration(let names): "(" + names.joined(separator: ", ") + ")"
        case .array(let element): "[]\(element)"
        case .map(let element): "[string]\(element)"
        case .nullable(let type): "?\(type)"
        }
    }
}

extension InterfaceDefinition.Field: CustomStringConvertible {
    package var description: String { "\(name): \(type)" }
}

extension InterfaceDefinition.Method: CustomStringConvertible {
    /// The method as it is written in a definition, on one line.
    package var description: String {
        "method \(name)\(InterfaceDefinition.FieldType.structure(input)) -> "
            + "\(InterfaceDefinition.FieldType.structure(output))"
    }
}
