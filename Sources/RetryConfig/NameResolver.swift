package import RetryModel

/// Where the numbers behind names come from.
package struct NameResolver: Sendable {
    package var user: @Sendable (String) -> UserID?
    package var group: @Sendable (String) -> UInt32?

    package init(
        user: @escaping @Sendable (String) -> UserID?,
        group: @escaping @Sendable (String) -> UInt32?
    ) {
        self.user = user
        self.group = group
    }
}
