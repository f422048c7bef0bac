package import RetryModel

/// Where the numbers behind names come from.
package struct NameResolver {
    package var user: (String) -> UserID?
    package var group: (String) -> UInt32?

    package init(user: @escaping (String) -> UserID?, group: @escaping (String) -> UInt32?) {
        self.user = user
        self.group = group
    }
}
