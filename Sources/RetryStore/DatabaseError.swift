/// What SQLite answered when something did not work.
struct DatabaseError: Error, Hashable {
    /// Extended result code (https://www.sqlite.org/rescode.html).
    var code: Int32
    /// errno of the system call that failed; 0 where none did.
    var systemCode: Int32
    /// SQLite's own words.
    var message: String

    /// The low byte: the kind of failure without its detail.
    var primaryCode: Int32 { code & 0xff }
}
