import RetryModel

/// A `SignalName` as three columns.
struct StoredSignalName {
    enum Kind: UInt8 {
        case foreground = 0
        case network = 1
        case credential = 2
        case custom = 3
    }

    var kind: Kind
    var text: String
    var owner: UserID

    init(_ name: SignalName) {
        switch name {
        case .foreground(let scope, let owner):
            self.init(kind: .foreground, text: scope, owner: owner)
        case .network:
            self.init(kind: .network, text: "", owner: 0)
        case .credential(let name, let owner):
            self.init(kind: .credential, text: name, owner: owner)
        case .custom(let name, let owner):
            self.init(kind: .custom, text: name, owner: owner)
        }
    }

    init(kind: Kind, text: String, owner: UserID) {
        self.kind = kind
        self.text = text
        self.owner = owner
    }

    var name: SignalName {
        switch kind {
        case .foreground: .foreground(scope: text, owner: owner)
        case .network: .network
        case .credential: .credential(name: text, owner: owner)
        case .custom: .custom(name: text, owner: owner)
        }
    }
}
