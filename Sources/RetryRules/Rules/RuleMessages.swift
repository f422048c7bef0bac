/// What a person is told about a failure, in one language.
package struct RuleMessages: Hashable, Sendable {
    /// A language tag (RFC 5646), e.g. `en` or `de-AT`.
    package var language: String
    /// A few words.
    package var title: String
    /// What happened, in a sentence; empty: none.
    package var description: String
    /// What the person can do about it; empty: nothing.
    package var suggestion: String
    /// What the person may choose, in the order of display.
    package var options: [Option]

    /// A choice and what follows from it.
    package struct Option: Hashable, Sendable {
        /// The name by which `Recover` is told the choice.
        package var name: String
        package var label: String
        package var effect: Effect

        package init(name: String, label: String, effect: Effect) {
            self.name = name
            self.label = label
            self.effect = effect
        }
    }

    /// What `Recover` does with the operation.
    package enum Effect: UInt8, Sendable, CaseIterable {
        /// It is tried again.
        case retry = 0
        /// It ends.
        case cancel = 1
        /// The sign-in works again: whatever waits for it goes on, and this is tried at once.
        case signIn = 2

        package var name: String {
            switch self {
            case .retry: "retry"
            case .cancel: "cancel"
            case .signIn: "sign-in"
            }
        }
    }

    package init(
        language: String, title: String, description: String = "", suggestion: String = "",
        options: [Option] = []
    ) {
        self.language = language
        self.title = title
        self.description = description
        self.suggestion = suggestion
        self.options = options
    }
}

extension [RuleMessages] {
    /// The texts for a language: the tag itself, else its shorter forms (`de-AT`, `de`), else
    /// English, else the first there is.
    func best(for language: String) -> RuleMessages? {
        var tag = Substring(language)
        while !tag.isEmpty {
            if let found = first(where: { messages in equalTags(messages.language, tag) }) {
                return found
            }
            tag = tag.prefix(upTo: tag.lastIndex(where: isSeparator) ?? tag.startIndex)
        }
        return first { messages in messages.language == "en" } ?? first
    }

    /// `LANG` writes `de_AT.UTF-8` where RFC 5646 writes `de-AT`.
    private func isSeparator(_ character: Character) -> Bool {
        character == "-" || character == "_" || character == "." || character == "@"
    }

    private func equalTags(_ left: String, _ right: Substring) -> Bool {
        left.utf8.elementsEqual(right.utf8) { one, other in
            let other: UInt8 = other == 0x5F ? 0x2D : other
            return one == other || (one ^ other == 0x20 && one | 0x20 >= 0x61 && one | 0x20 <= 0x7A)
        }
    }
}
